"""Names of this package by their counterparts in other programs, from which suggestions are made."""

from __future__ import annotations

import re

#: Names of this package, each with its counterparts in MuJoCo, Pinocchio, Drake, Modelica, Simscape, scipy, fmpy and
#: URDF, and with former names. Capitals and underscores count only in names of one or two letters. A foreign name may
#: have several counterparts here: only those are suggested that exist where the name was used.
COUNTERPARTS = {
    # dimensions and inertia
    "mass": "m",
    "inertia": "J I i_11 i_22 ixx diaginertia fullinertia inertia_tensor rotational_inertia spatial_inertia inertial",
    "com": "CM cm cog r_cm lever ipos center_of_mass centre_of_mass center_of_gravity",
    "density": "rho",
    "r": "radius size",
    "radius": "r",
    "x": "size lx",
    "y": "size ly",
    "z": "size lz",
    "length": "l L l0 L0 s0 rest_length free_length natural_length unstretched_length spring_length s_unstretched"
    " s_rel0 phi_rel0 springref equilibrium equilibrium_position neutral_position distance angle h height",
    "angle": "phi_rel0 springref equilibrium equilibrium_position neutral_position rest_angle length",
    "bore": "diameter area piston_area piston_diameter",
    "shape": "geom geometry visual visual_geometry mesh color graphics fixed_shape",
    "color": "rgba material",
    # places and axes
    "at": "pos position xyz rpy quat quaternion euler origin offset translation rotation orientation pose transform"
    " frame placement",
    "at_a": "frame_a pos_a point_a r_a anchor anchor_a site1",
    "at_b": "frame_b pos_b point_b r_b anchor_b site2",
    "on": "body joint link child",
    "a": "body body_a body1 geom1 joint1 size radii",
    "b": "body_b body2 geom2 joint2 size radii",
    "c": "size radii",
    "parent": "base base_link frame_on_parent",
    "joint": "axis type joint_type revolute",
    "axis": "n e direction axes",
    "axes": "axis axis1 axis2 n_a n_b first second frame reference_frame rf",
    "normal": "n axis",
    "angles": "euler sequence rotation_sequence order convention axes",
    "resolve_in": "frame axes resolve_in_frame expressed_in",
    "point": "offset",
    "rotation": "R rpy quat quaternion euler orientation matrix rotation_matrix rot",
    "center": "origin",
    # laws
    "stiffness": "k K c kp stiff stiffness_coefficient spring spring_constant spring_rate"
    " contact_stiffness penalty solref sigma0 EA",
    "damping": "c d b damp kd kv damping_coefficient damping_ratio solref sigma1",
    "dissipation": "damping contact_damping hunt_crossley hunt_crossley_dissipation solref",
    "viscous": "damping viscous_friction sigma2",
    "restitution": "impact e bounce coefficient_of_restitution",
    "static": "mu_s mu_static static_friction stiction Fs",
    "coulomb": "Fc mu_c",
    "speed": "v_s transition_velocity slip_velocity stiction_tolerance stribeck stribeck_velocity",
    "lower": "min low lb qmin phi_min lower_limit lower_bound range",
    "upper": "max high ub qmax phi_max upper_limit upper_bound range",
    "torque": "tau effort moment coulomb frictionloss",
    "forces": "tau torque torques effort joint_torques qfrc_applied",
    "ratio": "i n gear gear_ratio multiplier",
    "radii": "radius",
    "efficiency": "eta",
    "leader": "mimic master",
    "pitch": "lead",
    "mu": "gm GM",
    "quadratic": "cd Cd drag_coefficient",
    "linear": "c damping viscous",
    "through": "points pulleys bodies",
    "supply": "p_supply supply_pressure",
    "voltage": "V U",
    "resistance": "R",
    "inductance": "L",
    "constant": "K Kt k_t torque_constant back_emf",
    "E": "young youngs_modulus young_modulus elastic_modulus",
    "nu": "poisson poisson_ratio",
    "modes": "n_modes num_modes eig eigs eigenvalues eigenvectors poles",
    # signals
    "value": "default initial expr expression formula signal",
    "equations": "expr expression equation constraint residual",
    "expression": "expr function func condition trigger when",
    "update": "function func callback",
    "stop": "terminal terminate",
    "reset": "reinit",
    "period": "T Ts dt sample_time sampling_time sample_period interval",
    "other": "model",
    "prefix": "name",
    # states and values of a run
    "q": "x q0 s phi theta phi_start s_start angle pos position positions joint_position joint_angle qpos",
    "u": "v w u0 v0 qd dq qd0 dq0 qdot phi_dot theta_dot xdot omega angular_velocity velocity velocities speed"
    " joint_velocity qvel",
    "u_dot": "a qdd ddq qddot qacc vdot acceleration accelerations joint_acceleration",
    "start": "neutral q x x0 y0 q0 v0 v w qd dq qdot qpos qvel positions velocities initial initial_state"
    " initial_values"
    " initial_condition initial_conditions initial_guess operating_point init keyframe home start_values"
    " default default_positions default_angle",
    "guess": "x0 p0 initial_guess fixed",
    "parameters": "p p0 param params values param_values parameter_values args start_values",
    "free": "p params param_names unknowns vary variables",
    "inputs": "u u0 ctrl control controls action actions actuators start_values",
    "data": "y values_matrix xdata ydata measured measurement measurements experiments",
    "weights": "sigma",
    "evaluations": "max_nfev maxfev max_iter max_iterations",
    # attributes of results and linear models
    "statistics": "nfev njev nlu status",
    "events": "t_events y_events",
    "columns": "names states variable_names keys",
    "to_pandas": "df to_dataframe to_df dataframe",
    "to_csv": "save write write_csv to_file",
    "to_scipy": "ss tf bode step lsim impulse_response",
    "to_control": "ss tf bode nyquist step lsim",
    "vectors": "eigenvectors mode_shapes",
    "f": "force",
    "t": "moment torque",
    "model": "plant",
    "bodies": "links",
    # methods
    "dopri5": "rk45 ode45 dorpri dormand_prince runge_kutta runge_kutta45",
    "rk4": "rungekutta runge_kutta euler ode4 runge_kutta4",
    "rodas5p": "radau bdf ode15s ode23s ode23t cvode dassl ida lsoda stiff implicit rosenbrock",
    "abm6": "adams lsoda ode113",
    # times and files
    "start_time": "t0 t_start",
    "stop_time": "T tf t1 t_end t_stop t_final end_time final_time t_span stop duration",
    "step": "dt h time_step step_size fixed_step",
    "interval": "dt sample_time control_dt control_timestep",
    "communication_step": "dt step_size communication_step_size",
    "output_interval": "dense_output dt interval sample_time t_eval save_at n_points number_of_intervals output_step",
    "steps": "N n nstep n_steps num_steps horizon",
    "size": "n batch_size n_envs num_envs n_members",
    "batch": "batch_size parallel",
    "threads": "n_jobs nthread n_threads num_threads n_cores n_workers workers",
    "executor": "n_jobs n_workers workers pool processes parallel",
    "max_step": "hmax",
    "tolerance": "tol ftol xtol gtol",
    "rtol": "tol tolerance relative_tolerance",
    "atol": "absolute_tolerance",
    "method": "integrator solver algorithm",
    "progress": "verbose",
    "kind": "type fmu_type interface",
    "fmi": "version fmi_version",
    "about": "author license copyright",
    "path": "file filename uri url fmu_path output_path output_file dest destination xml urdf mjcf",
    "folder": "dir directory output_dir output_folder",
    "base": "root_joint joint_type fixed_base use_fixed_base floating floating_base free_flyer",
    "packages": "package_dirs package_path package_paths mesh_dir",
    "efforts": "actuators",
    "eye": "camera",
    # joints
    "Revolute": "hinge pin continuous rotational actuated_revolute revolute_unaligned RX RY RZ rubx ruby rubz",
    "Prismatic": "slider slide translational telescoping actuated_prismatic prismatic_unaligned PX PY PZ",
    "Spherical": "ball ball_rpy gimbal",
    "Universal": "cardan hooke",
    "ConstantVelocity": "homokinetic cv_joint rzeppa tripod",
    "Screw": "helical lead_screw helical_unaligned HX HY HZ",
    "Cylindrical": "cylindric",
    "Compound": "composite joint_model_translation cartesian rectangular bearing pin_slot",
    "Free": "floating free_flyer six_dof_joint free_motion free_motion_scalar_init quaternion_floating"
    " rpy_floating six_dof bushing",
    "Weld": "fixed fix rigid",
    "Distance": "distance_constraint spherical_spherical universal_spherical",
    "OnCurve": "curvilinear point_on_curve point_on_curve_constraint",
    "Rolling": "rolling_wheel rolling_wheel_set",
    # parts of a model
    "Model": "world plant system mechanism multibody_plant multibody_plant_scene_graph diagram_builder leaf_system"
    " mjspec rigid_body_tree",
    "body": "link joint frame site body_frame body_to_joint append_body_to_joint rigid_body body_shape body_box"
    " body_cylinder point_mass fixed_translation fixed_rotation fixed_offset_frame rotor1d",
    "close": "joint loop closure close_loop loop_closure loop_joint cut_joint connect weld weld_frames equality"
    " constraint weld_constraint ball_constraint distance distance_constraint spherical_constraint joint_rrr"
    " joint_rrp"
    " joint_ups joint_ssr revolute_planar_loop_constraint rigid_constraint_model point_on_curve_constraint",
    "constrain": "constraint equality equation angle_constraint",
    "follow": "mimic couple coupler coupler_constraint",
    "gear": "belt transmission coupling ideal_gear lossy_gear bevel_gear bevel_gear1d common_gear gear_constraint"
    " common_gear_constraint bevel_gear_constraint worm_gear elasto_backlash elasto_backlash2",
    "rack": "rack_and_pinion rack_and_pinion_constraint ideal_gear_r2t",
    "rope": "tendon cable wire pulley spool belt_cable belt_cable_spool",
    "rotational_spring": "torsion_spring torsional_spring angular_spring",
    "spring": "linear_damper line_force_with_mass line_force_with_two_masses spring_damper_force damper damping"
    " stiffness spring_damper spring_damper_parallel spring_and_damper_force linear_spring"
    " linear_spring_damper prismatic_spring revolute_spring torsion_spring torsional_spring",
    "bushing": "linear_bushing linear_bushing_roll_pitch_yaw",
    "motor": "torque effort servo actuator actuators joint_actuator general pd_controller constant_torque"
    " torque_source",
    "dc_motor": "electric_motor dc_machine",
    "drive": "motion position speed velocity accelerate constant_speed prescribe prescribed_motion",
    "force": "f F torque effort coulomb wrench force_element world_force frame_force external_force"
    " apply_force applied_force force_and_torque world_force_and_torque external_force_and_torque xfrc_applied",
    "pull": "internal_force line_force line_force_with_mass line_force_with_two_masses",
    "friction": "mu mu_k mu_d mu_dynamic dynamic_friction kinetic_friction friction_coefficient stiction frictionloss"
    " bearing_friction brake clutch",
    "contact": "impact ground_contact geom pair collision collide collision_geometry contact_pair contact_model"
    " contact_force"
    " spatial_contact_force",
    "mutual_contact": "contacts collisions exclude",
    "ground": "floor plane ground_contact",
    "limit": "stop end_stop stopper bumper limits joint_limit joint_limits",
    "range": "limits joint_limits joint_range position_limits lower_position_limit upper_position_limit",
    "lock": "brake clutch latch unlock",
    "freewheel": "one_way_clutch overrunning_clutch ratchet",
    "roll": "wheel rolling_wheel rolling_wheel_set",
    "tyre": "tire wheel magic_formula_tire_force",
    "drag": "aero air_drag air_resistance",
    "rotor": "J armature rotor_inertia reflected_inertia transmission rotor1d mounting1d",
    "gravity": "g gravity_vector gravity_acceleration gravity_field mutable_gravity_field",
    "parameter": "param",
    "set_parameter": "set_param",
    "input": "u ctrl control controls input_port vector_input_port export_input",
    "output": "sensor measure measurement observation log_vector_output output_port vector_output_port export_output"
    " absolute_sensor relative_sensor transform_sensor cut_force cut_torque cut_force_and_torque",
    "state": "der continuous_state",
    "sampled": "controller discrete discrete_state periodic_discrete_update periodic_discrete_update_event sample"
    " zero_order_hold",
    "event": "when reinit callback zero_crossing witness_function",
    "include": "subsystem submodel system add_system add_model append_model attach merge connect",
    "flange": "connector",
    "terminal": "connector",
    # solids, shapes and elastic bodies
    "Solid": "inertia unit_inertia spatial_inertia rotational_inertia",
    "box": "brick brick_solid body_box",
    "cylinder": "cylindrical_solid",
    "sphere": "spherical_solid",
    "Ellipsoid": "ellipsoidal_solid",
    "Mesh": "file_solid convex stl",
    "Plane": "infinite_plane half_space",
    "Points": "point point_cloud",
    "HeightField": "hfield terrain grid_surface",
    "CurvedGrid": "crg opencrg crg_terrain",
    "Tyre": "tire pacejka magic_formula magic_formula_tire_force",
    "PointGravity": "gravitational_field inverse_square_law_force",
    "beam": "elastic elastic_body flexible flexible_body flexible_beam general_flexible_beam",
    "plate": "elastic elastic_body flexible flexible_body flexible_plate general_flexible_plate",
    "Modes": "elastic elastic_body flexible flexible_body reduced_order_flexible_solid craig_bampton",
    # measures and formulas
    "Pose": "frame transform rigid_transform se3 quat quaternion from_quat from_matrix fixed_translation"
    " fixed_rotation"
    " fixed_offset_frame",
    "rpy": "euler roll_pitch_yaw rpy_to_matrix from_euler rot rotation rotation_matrix",
    "axis_angle": "angle_axis exp3 rotx roty rotz from_rotvec rot rotation rotation_matrix",
    "coordinate": "qpos positions joint_position joint_angle",
    "rate": "u v w qd dq qdot qvel omega speed velocity velocities joint_velocity der derivative rhs",
    "position": "p pos xyz xpos site_xpos translation target goal target_pos target_position points_positions",
    "orientation": "quat quaternion xquat xmat",
    "angular_velocity": "omega",
    "pose": "fk kinematics forward_kinematics frames_forward_kinematics update_frame_placement"
    " update_frame_placements"
    " body_pose_in_world transform transform_stamped absolute_sensor",
    "twist": "motion cvel spatial_velocity frame_velocity object_velocity body_spatial_velocity_in_world",
    "relative_position": "relative_transform relative_sensor transform_sensor",
    "relative_orientation": "relative_transform relative_sensor transform_sensor",
    "center_of_mass": "com cog center_of_gravity subtree_com center_of_mass_position_in_world",
    "momentum": "ccrba centroidal_momentum spatial_momentum_in_world_about_point",
    "angular_momentum": "ccrba centroidal_momentum spatial_momentum_in_world_about_point",
    "energy": "kinetic_energy potential_energy mechanical_energy total_energy energy_pos energy_vel",
    "applied": "wrench",
    "reaction": "wrench cut_force cut_torque cut_force_and_torque reaction_force reaction_torque joint_force"
    " constraint_force",
    "multiplier": "constraint_force lagrange_multiplier qfrc_constraint",
    "constraint_mode": "mode",
    "time": "t",
    "table": "interp interp1d interpolate lookup lookup_table combi_table1d piecewise_polynomial trajectory_source",
    "curve": "interp interp1d interpolate lookup lookup_table cubic_spline make_interp_spline pchip_interpolator"
    " piecewise_polynomial trajectory_source",
    "mod": "modulo remainder rem fmod wrap",
    "where": "if_else heaviside piecewise no_event",
    "clip": "clamp saturate saturation limiter",
    "min": "minimum lower low lb lower_bound range ctrlrange",
    "max": "maximum upper high ub upper_bound range ctrlrange",
    "sin": "sine",
    "cos": "cosine",
    "exp": "sinh cosh",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "Vector": "cross dot norm",
    # functions
    "Stepper": "mjdata step do_step step_simulation",
    "simulate": "timestep time_step run sim simulator simulation simulate_fmu simulate_model integrate advance_to step"
    " do_step step_simulation solve_ivp odeint rk45 radau bdf lsoda dop853 ode45 ode15s cvode dassl",
    "export": "to_fmu export_fmu export_to_fmu2cs build_model_fmu translate_model_fmu",
    "from_urdf": "urdf parser load load_model read_model import_model import_robot smimport robot_wrapper"
    " rigid_body_tree build_model_from_urdf build_models_from_urdf build_geom_from_urdf build_from_urdf"
    " build_model_from_xml add_models add_model_from_file",
    "from_sdf": "sdf sdformat gazebo parser load load_model read_model import_model import_robot add_models"
    " add_model_from_file load_world world_by_index",
    "from_mjcf": "mjcf mjmodel parser load load_model read_model import_model import_robot from_xml_path"
    " from_xml_string load_model_from_path load_model_from_xml build_model_from_mjcf add_models add_model_from_file",
    "mass_matrix": "crba fullm minverse mass_matrix_via_inverse_dynamics",
    "inverse_dynamics": "rnea rne inverse bias_term nle nonlinear_effects generalized_gravity static_torque"
    " gravity_generalized_forces qfrc_bias",
    "forward_dynamics": "aba forward qacc",
    "inverse_kinematics": "ik kinematics_solver",
    "assemble": "kinematics_solver",
    "jacobian": "jac jac_body jac_body_com jac_site frame_jacobian joint_jacobian joint_jacobians geometric_jacobian"
    " jacobian_spatial_velocity jacobian_translational_velocity jacobian_angular_velocity",
    "linearize": "linearize_model linmod eig eigh eigvals eigenvalues eigenvectors eigenmodes modal_analysis"
    " natural_frequencies linear_system affine_system state_space ss first_order_taylor_approximation bode"
    " transfer_function lqr linear_quadratic_regulator aba_derivatives mjd_transition_fd",
    "campbell": "campbell_diagram waterfall whirl",
    "trim": "equilibrium steady_state static_equilibrium fixed_point find_fixed_point findop operspec operpoint"
    " fsolve"
    " root trimming",
    "rollout": "gradient grad",
    "sensitivities": "gradient grad sensitivity",
    "identify": "fit estimate calibrate parameter_estimation least_squares curve_fit sysid",
    "ode": "aba_derivatives mjd_transition_fd direct_collocation direct_transcription mathematical_program",
    "to_casadi": "casadi direct_collocation direct_transcription mathematical_program",
    "to_jax": "jax mjx put_model",
    "poisson_impulses": "impulses",
    "sweep": "parameter_sweep monte_carlo",
    "gym": "gymnasium env make_env",
    "show": "animate view viewer visualize visualizer render renderer draw display launch launch_passive scene_graph"
    " meshcat start_meshcat meshcat_visualizer model_visualizer",
    "live": "viewer launch launch_passive meshcat start_meshcat meshcat_visualizer model_visualizer",
    # names without a counterpart, which resemble names of this package
    "": "data context gain pulse mod pow exp6 expm log3 log6 friction extruded_solid rnea_derivatives"
    " jacobian_center_of_mass fmu2_model fmu3_model",
}
#: What other programs put before or behind the name of a thing.
AFFIX = re.compile(
    r"^(?i:add|calc|calculate|compute|create|declare|eval|get|import|load|make|parse|read|register|set)(?:_|(?=[A-Z]))"
    r"|^mj_|^[Jj]oint(?:Model)?(?:_|(?=[A-Z]))|_joint$|(?<=.)Joint$"
)
#: Last parts of the names of a body's variables, with the corresponding last parts in this package.
LAST_PARTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("q", "phi", "s", "x", "angle", "pos", "position", "theta", "qpos"), ("phi", "s", "q")),
    **dict.fromkeys(("u", "w", "v", "qd", "dq", "qdot", "xdot", "qvel"), ("w", "v", "u")),
    **dict.fromkeys(("omega", "vel", "velocity", "speed"), ("w", "v", "u")),
    **dict.fromkeys(("tau", "f", "force", "torque", "effort"), ("tau", "f")),
}

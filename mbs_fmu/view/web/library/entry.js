// What the page uses of three.js and uPlot; build.sh makes library.js and library.css of it.
export {
  BufferAttribute, BufferGeometry, BoxGeometry, CapsuleGeometry, Color, CylinderGeometry,
  CatmullRomCurve3, DirectionalLight, DoubleSide, EdgesGeometry, Float32BufferAttribute, Fog, FrontSide, Group,
  HemisphereLight, Line, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshLambertMaterial, PCFShadowMap,
  PerspectiveCamera, PlaneGeometry, Quaternion, Raycaster, Scene, ShadowMaterial, SphereGeometry, TubeGeometry,
  Vector2, Vector3, WebGLRenderer,
} from 'three';
export { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
export { default as uPlot } from 'uplot';

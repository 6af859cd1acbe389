% Import the FMUs of a folder into Simulink, run them, and print a table of what works.
%
%     python fmus/compatibility/make_fmus.py       (writes the folder "made")
%     matlab -batch "cd fmus/compatibility; check_simulink('made')"
%
% Each FMU runs once by co-simulation and once by model exchange, with its inputs at their start values. The outputs
% are compared with NAME_ref.csv, whose columns have the order of the block's ports. Please add the table, with the
% versions in its first lines, to docs/importing.md.
function check_simulink(folder)
    if nargin < 1, folder = 'made'; end
    addpath(folder);  % the block takes the name of a file on the path
    fprintf('MATLAB %s on %s\n\n', version, computer);
    fprintf('| FMU | interface | worst deviation | output | verdict |\n|---|---|---|---|---|\n');
    files = dir(fullfile(folder, '*.fmu'));
    for k = 1:numel(files)
        for mode = {'CoSimulation', 'ModelExchange'}
            fprintf('| %s | %s | %s |\n', files(k).name, mode{1}, verdict(folder, files(k).name, mode{1}));
        end
    end
end

function text = verdict(folder, file, mode)
    try
        [names, reference] = expected(fullfile(folder, strrep(file, '.fmu', '_ref.csv')));
        values = simulated(file, mode, reference(:, 1), numel(names));
        sizes = max(max(abs(reference(:, 2:end))), 1e-2);
        apart = sort(abs(values - reference(:, 2:end)));
        apart = apart(ceil(0.9 * end), :) ./ sizes;  % beside jumps, rows may differ
        [worst, which] = max(apart);
        words = {'WRONG', 'correct'};
        text = sprintf('%.1e | %s | %s', worst, names{which}, words{1 + (worst <= 1e-4)});
    catch problem
        text = sprintf('- | - | failed: %s', strrep(problem.message, newline, ' '));
    end
end

function [names, reference] = expected(file)
    lines = strsplit(strtrim(fileread(file)), newline);
    columns = strsplit(strtrim(lines{1}), ',');
    names = columns(2:end);
    reference = cell2mat(cellfun(@(line) sscanf(line, '%f,')', lines(2:end)', 'UniformOutput', false));
end

function values = simulated(file, mode, times, count)
    model = 'mbs_fmu_check';
    if bdIsLoaded(model), close_system(model, 0); end
    new_system(model);
    closing = onCleanup(@() close_system(model, 0));
    step = times(2) - times(1);
    set_param(model, 'StopTime', num2str(times(end), 17), 'SolverType', 'Variable-step', 'Solver', 'ode45', ...
        'RelTol', '1e-8', 'MaxStep', num2str(step, 17), 'OutputOption', 'SpecifiedOutputTimes', ...
        'OutputTimes', mat2str(times', 17), 'SaveOutput', 'on', 'SaveFormat', 'Array', 'ReturnWorkspaceOutputs', 'on');
    block = [model '/FMU'];
    add_block('simulink_extras/FMU Import/FMU', block, 'FMUName', file);
    set_param(block, 'FMUMode', mode);
    set_param(block, 'FMUInputMapping', 'Flat', 'FMUOutputMapping', 'Flat');
    if strcmp(mode, 'CoSimulation'), set_param(block, 'FMUSampleTime', num2str(step, 17)); end
    ports = get_param(block, 'PortHandles');
    starts = inputs_of(file);
    for k = 1:numel(ports.Inport)
        source = sprintf('%s/in%d', model, k);
        add_block('simulink/Sources/Constant', source, 'Value', num2str(starts(k), 17));
        add_line(model, sprintf('in%d/1', k), sprintf('FMU/%d', k));
    end
    for k = 1:count  % outputs without a line would be removed
        add_block('simulink/Sinks/Out1', sprintf('%s/out%d', model, k));
        add_line(model, sprintf('FMU/%d', k), sprintf('out%d/1', k));
    end
    run = sim(model);
    values = run.yout;
end

function starts = inputs_of(file)
    folder = tempname;
    unzip(which(file), folder);
    root = xmlread(fullfile(folder, 'modelDescription.xml'));
    starts = [];
    variables = root.getElementsByTagName('ModelVariables').item(0).getElementsByTagName('*');
    for k = 0:variables.getLength - 1
        variable = variables.item(k);
        if ~strcmp(char(variable.getAttribute('causality')), 'input'), continue; end
        text = char(variable.getAttribute('start'));  % FMI 3.0; an element inside has it in FMI 2.0
        if isempty(text), text = char(variable.getElementsByTagName('Real').item(0).getAttribute('start')); end
        starts(end + 1) = str2double(text);  %#ok<AGROW>
    end
    rmdir(folder, 's');
end

// Job type of Flamenco 3: one task for each run of a Fracture sweep or data set, then the page of results.
// `python -m fracture_addon wedge sweep.toml --output FOLDER --flamenco` writes a job of this type.

const JOB_TYPE = {
    label: "Fracture Wedge",
    settings: [
        {
            key: "program", type: "string", required: true,
            description: "JSON list: the command line up to the name of the command",
        },
        {
            key: "folder", type: "string", subtype: "dir_path", required: true,
            description: "Folder of the results, which every worker sees under this path",
        },
        { key: "runs", type: "int32", required: true, description: "Number of runs" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    const page = authorTask("page", settings, ["--collect"]);
    for (let number = 1; number <= settings.runs; number++) {
        const task = authorTask(`run-${number}`, settings, ["--run", String(number)]);
        page.addDependency(task);
        job.addTask(task);
    }
    job.addTask(page);
}

function authorTask(name, settings, last) {
    const program = JSON.parse(settings.program);
    const task = author.Task(name, "blender");
    task.addCommand(author.Command("exec", {
        exe: program[0],
        args: program.slice(1).concat(["--output", settings.folder], last),
    }));
    return task;
}

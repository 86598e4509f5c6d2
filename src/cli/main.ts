import { runCommandLine } from "./run.ts";

runCommandLine(process.argv.slice(2), {
  program: process.argv[1],
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
}).then((code) => {
  process.exitCode = code;
});

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
import { onTestFinished } from "vitest";

type Done = (error: Error | null, ...more: unknown[]) => void;

/**
 * Records what the code under test does to files until the test ends, in order of completion: `write NAME`, `store NAME` for a write that
 * returns only when its bytes are on disk (`O_DSYNC`), `sync NAME`, `rename NAME`, `mkdir NAME`. Names are without folders.
 */
export function recordDiskSteps(): string[] {
  const steps: string[] = [];
  const names = new Map<number, string>();
  const storing = new Set<number>();
  const { open, rename } = fs.promises;
  const own = { openSync: fs.openSync, write: fs.write, fdatasync: fs.fdatasync, renameSync: fs.renameSync };
  const { fsyncSync, mkdirSync, writeFileSync } = fs;

  const after = (step: string, done: Done): Done => {
    return (error, ...more) => {
      if (!error) steps.push(step);
      done(error, ...more);
    };
  };
  const noteHandle = (handle: fs.promises.FileHandle, name: string): void => {
    const { writeFile, sync, datasync } = handle;
    const noted = (did: string, call: (...args: never[]) => Promise<void>) => {
      return async (...args: never[]) => {
        await call.apply(handle, args);
        steps.push(`${did} ${name}`);
      };
    };
    const wrapped = { writeFile: noted("write", writeFile), sync: noted("sync", sync) };
    Object.assign(handle, wrapped, { datasync: noted("sync", datasync) });
  };

  Object.assign(fs, {
    openSync(path: string, flags: number, mode: number) {
      const file = own.openSync(path, flags, mode);
      names.set(file, basename(path));
      if ((flags & fs.constants.O_DSYNC) !== 0) storing.add(file);
      else storing.delete(file);
      return file;
    },
    write(file: number, ...args: unknown[]) {
      const done = after(`${storing.has(file) ? "store" : "write"} ${names.get(file)}`, args.pop() as Done);
      (own.write as (...all: unknown[]) => void)(file, ...args, done);
    },
    fdatasync: (file: number, done: Done) => own.fdatasync(file, after(`sync ${names.get(file)}`, done)),
    fsyncSync(file: number) {
      fsyncSync(file);
      steps.push(`sync ${names.get(file)}`);
    },
    mkdirSync(path: string, options: fs.MakeDirectoryOptions) {
      const created = mkdirSync(path, options);
      steps.push(`mkdir ${basename(path)}`);
      return created;
    },
    writeFileSync(file: string | number, data: string, options: fs.WriteFileOptions) {
      writeFileSync(file, data, options);
      steps.push(`write ${typeof file === "number" ? names.get(file) : basename(file)}`);
    },
    renameSync(from: string, to: string) {
      own.renameSync(from, to);
      steps.push(`rename ${basename(to)}`);
    },
  });
  Object.assign(fs.promises, {
    async open(path: string, ...args: never[]) {
      const handle = await open(path, ...args);
      noteHandle(handle, basename(path));
      return handle;
    },
    async rename(from: string, to: string) {
      await rename(from, to);
      steps.push(`rename ${basename(to)}`);
    },
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, own, { fsyncSync, mkdirSync, writeFileSync });
    Object.assign(fs.promises, { open, rename });
    syncBuiltinESMExports();
  });
  return steps;
}

import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { systemFiles } from "../../../platform/runtime/system/files.ts";
import { FileSink } from "./file-sink.ts";

it("acknowledges nothing while its file is closed", async () => {
  const { files } = createSimulatedRuntime();
  const sink = new FileSink(files, "/stream.jsonl");
  const message = { topic: "t", key: "1", id: "1", value: new TextEncoder().encode("{}") };
  await expect(sink.send(message)).rejects.toThrowError("the file is closed");
  await sink.open();
  await sink.send(message);
  await sink.close();
  await expect(sink.send(message)).rejects.toThrowError("the file is closed");
});

it.skipIf(process.platform === "win32")(
  "creates a file for its owner only, and rejects links and pipes",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "kairn-file-sink-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const at = (name: string) => join(folder, name);
    const open = async (name: string) => {
      const sink = new FileSink(systemFiles, at(name));
      await sink.open();
      await sink.close();
    };
    await open("made");
    expect(statSync(at("made")).mode & 0o777).toBe(0o600);
    writeFileSync(at("shared"), "");
    chmodSync(at("shared"), 0o640);
    await open("shared");
    expect(statSync(at("shared")).mode & 0o777).toBe(0o640);
    symlinkSync(at("made"), at("link"));
    symlinkSync(at("nowhere"), at("dangling"));
    execFileSync("mkfifo", [at("pipe")]);
    for (const name of ["link", "dangling", "pipe", "."])
      await expect(open(name)).rejects.toMatchObject({ code: "FILE_KIND" });
  },
);

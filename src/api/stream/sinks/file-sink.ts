import type { AppendFile, Files } from "../../../platform/runtime/files.ts";
import { StreamError } from "../errors.ts";
import type { EventSink, StreamMessage } from "./event-sink.ts";

/**
 * Appends each message as a line of JSON, `{"topic":…,"key":…,"value":…}`, which is on disk when `send` resolves. What a
 * power loss cut off stays as a line that is not JSON, for readers to pass over; the message follows once more. The file is readable
 * by its owner alone, unless it was there before.
 */
export class FileSink implements EventSink {
  readonly place: string;
  readonly #files: Files;
  #file: AppendFile | undefined;

  constructor(files: Files, path: string) {
    this.#files = files;
    this.place = path;
  }

  async open(): Promise<void> {
    await this.close();
    const isContinued = this.#files.exists(this.place);
    this.#file = this.#files.openAppend(this.place, "owner");
    if (isContinued) await this.#file.append(Buffer.from("\n"));
  }

  async send({ topic, key, value }: StreamMessage): Promise<void> {
    if (this.#file === undefined) throw new StreamError("BROKER", "the file is closed");
    const before = `{"topic":${JSON.stringify(topic)},"key":${JSON.stringify(key)},"value":`;
    await this.#file.append(Buffer.concat([Buffer.from(before), value, Buffer.from("}\n")]));
  }

  async close(): Promise<void> {
    this.#file?.close();
    this.#file = undefined;
  }
}

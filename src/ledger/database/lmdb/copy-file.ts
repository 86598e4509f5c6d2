import { type FileHandle, open } from "node:fs/promises";

/** Bytes copied at a time: as much as an aborted copy still completes. */
const CHUNK_BYTES = 4 << 20;

/**
 * Copies a file chunk by chunk, and syncs the copy.
 * @param head - the first bytes of the copy, in place of the file's current ones
 * @param size - length of the copy, unless the file is shorter when the copy begins
 * @param signal - aborts the copy, leaving a partial file
 * @throws the reason of `signal`; errors of the file system, `EEXIST` if the target exists
 */
export async function copyFile(
  from: string,
  to: string,
  { head, size, signal }: { readonly head: Uint8Array; readonly size: number; readonly signal: AbortSignal },
): Promise<void> {
  await using source = await open(from, "r");
  await using target = await open(to, "wx", 0o600);
  const end = Math.min(size, (await source.stat()).size);
  await writeAll(target, head, 0);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = head.length; at < end; ) {
    signal.throwIfAborted();
    const { bytesRead } = await source.read(chunk, 0, Math.min(CHUNK_BYTES, end - at), at);
    if (bytesRead === 0) break;
    await writeAll(target, chunk.subarray(0, bytesRead), at);
    at += bytesRead;
  }
  signal.throwIfAborted();
  await target.sync();
}

async function writeAll(target: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await target.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

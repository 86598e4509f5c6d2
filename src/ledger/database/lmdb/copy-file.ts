import { type FileHandle, open } from "node:fs/promises";

/** Bytes read and written at a time: what a copy that is given up still does. */
const PIECE = 4 << 20;

/**
 * Copies a file piece by piece as far as it goes at the beginning, and syncs the copy.
 * @param head - the first bytes of the copy, whatever the file says there now
 * @param signal - gives the copy up, which leaves what was copied
 * @throws the reason of `signal`; errors of the file system, `EEXIST` where there is a copy
 */
export async function copyFile(
  from: string,
  to: string,
  { head, signal }: { readonly head: Uint8Array; readonly signal: AbortSignal },
): Promise<void> {
  await using source = await open(from, "r");
  await using target = await open(to, "wx", 0o600);
  const { size } = await source.stat();
  await writeAll(target, head, 0);
  const piece = Buffer.allocUnsafe(PIECE);
  for (let at = head.length; at < size; ) {
    signal.throwIfAborted();
    const { bytesRead } = await source.read(piece, 0, Math.min(PIECE, size - at), at);
    if (bytesRead === 0) break;
    await writeAll(target, piece.subarray(0, bytesRead), at);
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

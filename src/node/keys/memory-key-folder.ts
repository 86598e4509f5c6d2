import type { KeyFolder } from "../../wallet/keystore/key-folder.ts";

/** A key folder in memory, for a node without a data folder. */
export function createMemoryKeyFolder(): KeyFolder {
  const files = new Map<string, { readonly content: string; readonly stamp: string }>();
  let writes = 0;
  return {
    path: "/memory",
    sharedMode: () => undefined,
    names: () => [...files.keys()],
    stat(name) {
      const file = files.get(name);
      return file && { stamp: file.stamp, size: file.content.length, sharedMode: undefined };
    },
    read(name) {
      const file = files.get(name);
      if (file === undefined) throw new Error(`no such file: ${name}`);
      return file.content;
    },
    async write(name, content, verify) {
      verify(content);
      files.set(name, { content, stamp: String(++writes) });
    },
    async remove(name) {
      files.delete(name);
    },
    removeDrafts: () => [],
    watch: () => undefined,
  };
}

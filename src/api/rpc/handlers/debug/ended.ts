import { refused } from "../../errors.ts";

/** null once an action is done; errors of the file system become refusals. */
export async function ended(action: Promise<void>): Promise<null> {
  try {
    await action;
    return null;
  } catch (error) {
    if (error instanceof Error && "errno" in error) throw refused(error.message);
    throw error;
  }
}

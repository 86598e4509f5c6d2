import type { ComponentType } from "preact";
import type { Params } from "./router.ts";

/** A screen of the page, declared in a file of its own; `screens/index.ts` lists them. */
export interface Screen {
  /** `/blocks/:number`; parameters go to the component. */
  readonly path: string;
  /** Title of the window, and heading of the screen. */
  readonly title: string | ((params: Params) => string);
  /** Entry of the menu; absent for screens reached from others. */
  readonly menu?: { readonly label: string; readonly icon: string };
  /** Methods that the screen requires, such as those of a development chain. */
  readonly needs?: readonly string[];
  readonly component: ComponentType<{ readonly params: Params }>;
}

/** Declares a screen. */
export function screen(declaration: Screen): Screen {
  return declaration;
}

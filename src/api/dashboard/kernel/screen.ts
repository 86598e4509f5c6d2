import type { ComponentType } from "preact";
import type { Params } from "./router.ts";

/** A screen of the page. Declared in one place, its own file; `screens/index.ts` lists them. */
export interface Screen {
  /** `/blocks/:number`; parameters go to the component. */
  readonly path: string;
  /** Of the window, and heading of the screen. */
  readonly title: string | ((params: Params) => string);
  /** Entry of the menu; absent for screens that others lead to. */
  readonly menu?: { readonly label: string; readonly icon: string };
  /** Methods without which the screen is not in the menu, such as those of a development chain. */
  readonly needs?: readonly string[];
  readonly component: ComponentType<{ readonly params: Params }>;
}

/** Declares a screen. */
export function screen(declaration: Screen): Screen {
  return declaration;
}

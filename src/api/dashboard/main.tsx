import { render } from "preact";
import "./style/tokens.css";
import "./style/layout.css";
import "./style/narrow.css";
import "./style/panels.css";
import "./style/controls.css";
import "./style/views.css";
import "./style/wallets.css";
import { App } from "./app.tsx";
import { signIn } from "./kernel/api.ts";

await signIn();
window.addEventListener("hashchange", () => void signIn());
render(<App />, document.getElementById("page") as HTMLElement);

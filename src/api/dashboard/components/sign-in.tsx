import { useState } from "preact/hooks";
import { openSession } from "../kernel/api.ts";
import { Field, Form } from "./form.tsx";
import { NewLink, Problem } from "./panel.tsx";

/** Asks for the token of a link. */
export function SignIn() {
  const [text, setText] = useState("");
  const [error, setError] = useState<Error>();
  const enter = (): void => {
    const token = text.trim().replace(/^.*#token=/, "");
    setText("");
    openSession(token).catch(setError);
  };
  return (
    <main class="sign-in" id="main">
      <h1>kairn</h1>
      <p>
        The node shows a link with a token when it starts; it admits one page, until that page is closed or
        reloaded. <NewLink />
      </p>
      <Form label="Token" action="Open" isReady={text.trim() !== ""} onSubmit={enter}>
        <Field label="Link or token" value={text} onInput={setText} isSecret />
      </Form>
      {error && <Problem error={error} />}
    </main>
  );
}

import { Route, Switch } from 'wouter';
import { ConfirmSignUpPage } from './confirm-sign-up-page.tsx';
import { ForgotPasswordPage } from './forgot-password-page.tsx';
import { ResetPasswordPage } from './reset-password-page.tsx';

/** Pages that links of mails lead to, and the one that asks for such a mail. Nobody needs to be signed in. */
export default function LinkPages() {
  return (
    <Switch>
      <Route path="/forgot-password" component={ForgotPasswordPage} />
      <Route path="/reset" component={ResetPasswordPage} />
      <Route path="/sign-up/confirm" component={ConfirmSignUpPage} />
    </Switch>
  );
}

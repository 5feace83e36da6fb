/** The secret that a granted proposal has made: shown once to whoever has proposed it. */
import { may } from '../../acts/policy.ts'
import { AppError } from '../../errors.ts'
import { type Approval, getApproval } from '../../operator/approvals/approval.ts'
import { revealSecret } from '../../operator/approvals/secrets.ts'
import type { Secret } from '../../operator/approvals/stake.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, wideScreen } from '../page-parts.ts'
import { type ConsoleKey, translate } from '../words/translate.ts'
import { type View, viewOf, writing } from '../world.ts'

export const secretText = (secret: string) => html`<p><code class="secret">${secret}</code></p>`

/** The secret waits for whoever has proposed the act. */
export function secretForm(
  { locale, user, params }: OwnVisit,
  { id, proposedBy }: Approval['proposal'],
): Markup {
  if (proposedBy !== user.id || !may(user, 'approval secret'))
    return html`<p class="advice">${translate(locale, 'approvalSecretWaits')}</p>`
  return html`<p class="advice">${translate(locale, 'approvalSecretYours')}</p>
    <form method="post" action=${`/${params.world}/approvals/${id}/secret`}>
      <button class="button">${translate(locale, 'approvalSecretShow')}</button>
    </form>`
}

type Again = (visit: OwnVisit, view: View, problem: ConsoleKey) => Promise<Screen>

/** `again`: the screen of the proposal, if there is nothing to show. */
export const revealPage = (again: Again): ConsolePage => ({
  method: 'post',
  path: '/:world/approvals/:approval/secret',
  needs: 'approval secret',
  async handle(visit) {
    const view = await viewOf(visit)
    const { proposal } = await getApproval(view.ctx, visit.params.approval ?? '', view.merchantId)
    if (!proposal.hasSecret || proposal.proposedBy !== visit.user.id)
      return again(visit, view, 'approvalSecretGone')
    await visit.user.prove({ what: 'approval secret', world: view.ctx.world, args: { id: proposal.id } })
    const ctx = writing(visit, 'approval secret', proposal.id)
    try {
      return secretScreen(visit, view, await revealSecret(ctx, visit.user, proposal.id))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return again(visit, view, 'approvalSecretGone')
    }
  },
})

/** The kind of the act says what its secret is. */
const SECRET_WORDS = { token: 'approvalSecretToken', webhookSecret: 'approvalSecretEvents' } as const

function secretScreen({ locale }: OwnVisit, { world }: View, { kind, text }: Secret): Screen {
  const title = translate(locale, SECRET_WORDS[kind])
  const body = html`<p>${translate(locale, 'approvalSecretOnce')}</p>
    ${secretText(text)} ${backTo(`/${world}/approvals`, translate(locale, 'approvalsTitle'))}`
  return wideScreen({ title, body })
}

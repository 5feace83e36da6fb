/** Ending a subscription. The page says what will happen, and its form does it. Done twice, it is done once. */
import { cancel } from '../../acts/rows/agreements.ts'
import { html } from '../../pages/html.ts'
import { formPages } from '../form-page.ts'
import type { OwnVisit, Shown } from '../page.ts'
import { narrowScreen } from '../page-parts.ts'
import { translate } from '../words/translate.ts'
import { actFor } from '../world.ts'
import { termsText } from './sentence.ts'
import { findOwnSubscription } from './subscription.ts'

export const CANCEL_PAGES = formPages({
  path: '/:world/shops/:merchant/subscriptions/:subscription/cancel',
  needs: 'subscription cancel',
  again: confirmScreen,
  async send(visit) {
    const { history, path } = await findOwnSubscription(visit)
    const { id } = history.record
    await actFor(visit, cancel, id, { subscriptionId: id })
    return `${path}?done=cancelled`
  },
})

async function confirmScreen(visit: OwnVisit, problem?: string): Promise<Shown> {
  const { locale } = visit
  const { history, path, view } = await findOwnSubscription(visit)
  const { record } = history
  // Somebody has ended it meanwhile, or the bank has.
  if (record.status === 'cancelled') return { kind: 'redirect', to: path }
  const title = translate(locale, 'endSure')
  const isUnderWay = record.nextChargeAt === null
  const body = html`<p class="sentence"><bdi>${record.description}</bdi>: ${termsText(locale, record, view.timeZone)}</p>
    <p>${translate(locale, 'endWill')}</p>
    ${isUnderWay ? html`<p>${translate(locale, 'cancelUnderWay')}</p>` : null}
    <form method="post" class="fields">
      <button class="button">${translate(locale, 'cancelSubscription')}</button>
    </form>`
  return narrowScreen({ title, body, problem, back: [path, record.description] })
}

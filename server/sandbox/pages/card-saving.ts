import { cost } from '../../limits/cost.ts'
import type { Shown, Visit } from '../../pages/page-endpoint.ts'
import type { Sandbox } from '../sandbox.ts'
import { CARD_SAVING_OUTCOMES, cardSavingPage, REMOVED } from './card-saving-page.ts'
import { addressIn, type SandboxPage } from './endpoint.ts'

/** A buyer arrives at the simulated bank to save a card. */
export const cardArrival: SandboxPage = {
  method: 'get',
  path: '/sandbox/bank/cards/:customer/:reference',
  stranger: { body: 0, once: cost(2), flood: cost(1) },
  handle: (sandbox, visit, now) => show(sandbox, visit, now),
}

/** The buyer chooses a kind of card. The bank redirects the browser to the return address. */
export const cardChoice: SandboxPage = {
  method: 'post',
  path: '/sandbox/bank/cards/:customer/:reference',
  stranger: { body: 4_096, once: cost(2), flood: cost(1) },
  async handle(sandbox, visit, now) {
    const { cards } = sandbox
    if (visit.form.outcome === REMOVED) {
      await cards.giveUp(addressIn(visit), now)
      return show(sandbox, visit, now)
    }
    const outcome = CARD_SAVING_OUTCOMES.find((each) => each === visit.form.outcome)
    if (!outcome) return show(sandbox, visit, now, 422)
    const card = await cards.choose(addressIn(visit), outcome, now)
    return card ? { kind: 'redirect', url: card.returnUrl } : show(sandbox, visit, now)
  },
}

async function show(
  { cards }: Sandbox,
  { locale, localeLinks, params }: Visit,
  now: Date,
  status = 200,
): Promise<Shown> {
  const at = addressIn({ params })
  const { reference } = at
  const card = await cards.find(at)
  const merchantName = card?.merchantName ?? ''
  const state = card ? cards.stateOf(card, now) : 'unknown'
  const html = cardSavingPage({
    locale,
    localeLinks,
    merchantName,
    reference,
    state: state === 'open' || state === 'saved' || state === 'unknown' ? state : 'done',
    action: `/sandbox/bank/cards/${encodeURIComponent(at.customer)}/${encodeURIComponent(reference)}`,
    ...(card && { returnUrl: card.returnUrl }),
  })
  return { kind: 'page', html, status: card ? status : 404 }
}

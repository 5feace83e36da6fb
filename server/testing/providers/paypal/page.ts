/** The pages on which a buyer approves an order, or saves a PayPal account: plain forms that work without a script. */
import { escapeHtml, frame } from '../simulator.ts'
import type { SimAccount, SimOrder, SimSetup, World } from './books.ts'
import { approve, findOrder } from './orders.ts'
import type { Reply, SimRequest } from './reply.ts'

/** What a buyer can do on either page. `decline`: approves with a card that PayPal cannot charge. */
const DEEDS = { pay: 'Pay', decline: 'Pay with a card that is declined', cancel: 'Cancel' } as const
export type Deed = keyof typeof DEEDS

type Shown = { kind: 'order'; account: SimAccount; order: SimOrder } | { kind: 'setup'; setup: SimSetup }

export function answerPage(world: World, { method, url, body }: SimRequest): Reply {
  const { searchParams } = new URL(url, world.origin())
  const shown = findShown(world, searchParams)
  if (!shown) return html(404, '<h1>This page is not available any more.</h1>')
  if (method === 'GET') return html(200, form(shown))
  const chosen = new URLSearchParams(body).get('outcome') ?? ''
  const deed = (Object.keys(DEEDS) as Deed[]).find((each) => each === chosen)
  if (!deed) return html(400, '<h1>Choose one of the buttons.</h1>')
  return { status: 303, headers: { location: act(world, shown, deed) }, text: '' }
}

function findShown(world: World, query: URLSearchParams): Shown | null {
  const orderId = query.get('token') ?? ''
  const setupId = query.get('approval_session_id') ?? ''
  for (const account of world.accounts.values()) {
    const order = findOrder({ world, account }, orderId)
    if (order && order.status !== 'COMPLETED') return { kind: 'order', account, order }
    const setup = account.setups.get(setupId)
    if (setup?.status === 'PAYER_ACTION_REQUIRED') return { kind: 'setup', setup }
  }
  return null
}

/** Does what the buyer chose, and returns the address to which the browser goes. */
function act(world: World, shown: Shown, deed: Deed): string {
  if (shown.kind === 'setup') {
    const { setup } = shown
    if (deed === 'cancel') return setup.pages.cancelUrl
    setup.status = 'APPROVED'
    setup.instrument = deed === 'pay' ? 'good' : 'declining'
    return withQuery(setup.pages.returnUrl, { approval_session_id: setup.id })
  }
  const { account, order } = shown
  const pages = order.pages ?? { returnUrl: world.origin(), cancelUrl: world.origin() }
  if (deed === 'cancel') return withQuery(pages.cancelUrl, { token: order.id })
  approve(world, account, order, deed === 'pay' ? 'good' : 'declining')
  return withQuery(pages.returnUrl, { token: order.id, PayerID: 'QYR5Z8XDVJNXQ' })
}

function withQuery(address: string, query: Record<string, string>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}

function form(shown: Shown): string {
  const what =
    shown.kind === 'setup'
      ? 'Save your PayPal account'
      : `Pay ${shown.order.unit.amount.value} ${shown.order.unit.amount.currency_code}`
  const detail = shown.kind === 'order' ? escapeHtml(shown.order.unit.description ?? '') : ''
  const buttons = Object.entries(DEEDS).map(
    ([deed, label]) => `<button name="outcome" value="${deed}">${label}</button>`,
  )
  return `<p>Simulated PayPal, test money</p><h1>${what}</h1><p>${detail}</p><form method="post">${buttons.join('\n')}</form>`
}

function html(status: number, body: string): Reply {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    text: frame('Simulated PayPal', body),
  }
}

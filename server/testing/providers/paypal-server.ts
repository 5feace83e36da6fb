/** The simulated PayPal with its own HTTP server. Its webhooks are stored until a test takes them. */
import { send } from '../light-http.ts'
import type { Transmission } from './paypal/books.ts'
import { createPaypal } from './paypal/paypal.ts'
import type { Reply, SimRequest } from './paypal/reply.ts'
import { serveSimulator } from './simulator-server.ts'

export const CLIENT_ID = 'client-of-the-simulator'
export const CLIENT_SECRET = 'planted-secret-of-the-simulator'
export const WEBHOOK_ID = 'WEBHOOK0001'

export type PaypalServer = Awaited<ReturnType<typeof startPaypalServer>>

/** `onExchange`: gets every request with its response. */
export async function startPaypalServer(
  now: () => Date,
  onExchange: (request: SimRequest, reply: Reply) => void = () => {},
) {
  let sent: Transmission[] = []
  let origin = ''
  const paypal = createPaypal({ now, origin: () => origin, send: (each) => sent.push(each) })
  const server = await serveSimulator((request) => {
    const reply = paypal.answer(request)
    onExchange(request, reply)
    return { ...reply, body: reply.text }
  })
  origin = server.origin
  const account = paypal.openAccount(CLIENT_ID, CLIENT_SECRET)
  return {
    origin,
    paypal,
    account,
    /** Returns what it has sent since the last time, in the order of sending. */
    takeSent(): Transmission[] {
      paypal.work()
      const all = sent
      sent = []
      return all
    },
    close: server.close,
  }
}

/** Adds a webhook to the account that leads to `url` and subscribes to every event. */
export function addWebhook({ account }: Pick<PaypalServer, 'account'>, url: string, id = WEBHOOK_ID): void {
  account.webhooks.set(id, { id, url, events: ['*'] })
}

/** Returns the order that has our reference. */
export function orderOf({ account }: Pick<PaypalServer, 'account'>, reference: string) {
  return [...account.orders.values()].filter(({ unit }) => unit.custom_id === reference)
}

/** Plays the buyer on PayPal's page. Returns where the browser is sent afterwards. */
export async function actAsBuyer(url: string, outcome: 'pay' | 'decline' | 'cancel'): Promise<string> {
  const page = await send(url)
  if (page.status !== 200) throw new Error(`PayPal's page says ${page.status}`)
  const answer = await send(url, { method: 'POST', body: new URLSearchParams({ outcome }) })
  return answer.headers.get('location') ?? ''
}

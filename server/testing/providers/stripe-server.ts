/** The simulated Stripe with its own HTTP server. */
import { send } from '../light-http.ts'
import { serveSimulator } from './simulator-server.ts'
import { type Account, catchUp, openAccount, openBooks } from './stripe/books.ts'
import { type Post, sendLetters } from './stripe/events.ts'
import { type ApiFault, visit } from './stripe/front.ts'

export type StripeServer = Awaited<ReturnType<typeof startStripeServer>>

/** A write that arrived at the API. */
type Write = { path: string; key: string; body: string }

/** The simulator has only test money, and says so in everything that it shows. */
const asLive = (text: string) => text.replaceAll(/("livemode": ?)false/g, '$1true')

/** `post`: sends the webhooks. `live`: says about its money that it is real. */
export async function startStripeServer(now: () => Date, post: Post = postOver, { live = false } = {}) {
  const books = openBooks(now)
  const faults: ApiFault[] = []
  const writes: Write[] = []
  let spoil = (text: string) => text
  const server = await serveSimulator(({ method, url, headers, body }) => {
    const { pathname, search } = new URL(url, books.origin)
    const isWrite = method === 'POST' && pathname.startsWith('/v1/')
    if (isWrite) writes.push({ path: pathname, key: String(headers['idempotency-key']), body })
    const fault = isWrite ? faults.shift() : undefined
    const reply = visit(books, { method, pathname, search, headers, body }, fault)
    const sent = live ? asLive(reply?.body ?? '') : spoil(reply?.body ?? '')
    return reply && { ...reply, body: sent }
  })
  books.origin = server.origin
  return {
    origin: books.origin,
    books,
    writes,
    openAccount: (id: string, keys: readonly string[]): Account => openAccount(books, id, keys),
    /** Changes the text of every answer. */
    spoilAnswers(change: (text: string) => string) {
      spoil = change
    },
    spoilNextWrite: (fault: ApiFault) => void faults.push(fault),
    /** Does everything that is due, and sends webhooks. Returns how many were sent. */
    async work(): Promise<number> {
      let sent = 0
      for (const account of books.accounts.values()) {
        catchUp(books, account)
        if (live) for (const webhook of account.webhooks) webhook.body = asLive(webhook.body)
        sent += await sendLetters(books, account, post)
      }
      return sent
    },
    close: server.close,
  }
}

async function postOver(url: string, headers: Record<string, string>, body: string): Promise<number> {
  const { status } = await send(url, { method: 'POST', headers, body })
  return status
}

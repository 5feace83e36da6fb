/** The simulator's whole HTTP interface: the API and the hosted page. A test puts it on a server. */
import type Stripe from 'stripe'
import { type ApiReply, answer } from './api.ts'
import { type Account, type Books, catchUp } from './books.ts'
import { isCard } from './cards.ts'
import { authenticate, choose } from './checkout.ts'
import { challengePage, checkoutPage, overPage } from './page.ts'

/**
 * The fault of the next write. `broken`: Stripe acts, fails, and keeps the 500 under its key. `broken_before`: the same without
 * acting. `in_use`: another request has the key. `busy`: too many requests. `hang_up`: it acts, and closes the connection.
 * `revoked`: the secret key has just been revoked.
 */
export type ApiFault = 'broken' | 'broken_before' | 'in_use' | 'busy' | 'hang_up' | 'revoked'

export type Visit = {
  method: string
  pathname: string
  search: string
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Returns null to close the connection without a reply. `fault`: the fault of a write to the API. */
export function visit(books: Books, visited: Visit, fault: ApiFault | undefined): ApiReply | null {
  const { method, pathname, search, headers, body } = visited
  if (!/^\/v[12]\//.test(pathname)) return page(books, visited)
  const path = pathname.replace(/^\/(v1\/)?/, '')
  return spoil(books, fault, { method, path, query: search.slice(1), headers, body })
}

/** Null: the connection is closed without a reply. */
function spoil(
  books: Books,
  fault: ApiFault | undefined,
  request: Parameters<typeof answer>[1],
): ApiReply | null {
  const say = (status: number, error: object): ApiReply => ({
    status,
    headers: { 'content-type': 'application/json', 'request-id': books.nextId('req') },
    body: JSON.stringify({ error }),
  })
  if (fault === 'in_use')
    return say(409, { type: 'idempotency_error', code: 'idempotency_key_in_use', message: 'Key in use' })
  if (fault === 'revoked')
    return say(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' })
  if (fault === 'busy')
    return say(429, { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests' })
  if (fault === 'broken' || fault === 'broken_before') {
    if (fault === 'broken') answer(books, request)
    const broken = say(500, { type: 'api_error', message: 'An unknown error occurred' })
    for (const account of books.accounts.values())
      account.replies.set(String(request.headers['idempotency-key']), {
        at: books.now(),
        request: `${request.path}\n${request.body}`,
        status: 500,
        body: broken.body,
      })
    return broken
  }
  const reply = answer(books, request)
  return fault === 'hang_up' ? null : reply
}

const html = (status: number, body: string): ApiReply => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body,
})

/** Handles a buyer on the hosted page. */
function page(books: Books, { method, pathname, body }: Visit): ApiReply {
  const id = /^\/c\/pay\/(cs_test_\w+)$/.exec(pathname)?.[1] ?? ''
  const account = [...books.accounts.values()].find(({ sessions }) => sessions.has(id))
  const session = account?.sessions.get(id)
  if (!account || !session) return html(404, overPage())
  catchUp(books, account)
  const name = account.plans.get(id)?.name ?? ''
  if (session.status !== 'open') return html(200, overPage())
  if (method !== 'POST') return html(200, checkoutPage(session, name, null))
  const outcome = decide(books, account, session, new URLSearchParams(body))
  if (outcome === 'authenticate') return html(200, challengePage())
  if (outcome === 'declined')
    return html(200, checkoutPage(session, name, 'Your card was declined. Try another card.'))
  const location = (session.success_url ?? '/').replace('{CHECKOUT_SESSION_ID}', id)
  return { status: 303, headers: { location }, body: '' }
}

function decide(books: Books, account: Account, session: Stripe.Checkout.Session, form: URLSearchParams) {
  const challenge = form.get('challenge')
  if (challenge !== null) return authenticate(books, account, session, challenge === 'pass')
  const card = form.get('card') ?? ''
  return isCard(card) ? choose(books, account, session, card) : 'declined'
}

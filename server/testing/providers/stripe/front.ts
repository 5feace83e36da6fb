/** The simulator's whole HTTP interface: the API and the hosted page. A test puts it on a server. */
import type Stripe from 'stripe'
import { escapeHtml, frame } from '../simulator.ts'
import { type ApiReply, answer } from './api.ts'
import { type Account, type Books, catchUp } from './books.ts'
import { CARDS, isCard } from './cards.ts'
import { authenticate, choose } from './checkout.ts'

type Visit = {
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
  const act = fault ? FAULTS[fault] : answer
  return act(books, { method, path, query: search.slice(1), headers, body })
}

type ApiRequest = Parameters<typeof answer>[1]

const refuse = (books: Books, status: number, error: object): ApiReply => ({
  status,
  headers: { 'content-type': 'application/json', 'request-id': books.nextId('req') },
  body: JSON.stringify({ error }),
})

/** Fails, and keeps the 500 under the key of the request. */
function breakDown(books: Books, { headers, path, body }: ApiRequest): ApiReply {
  const broken = refuse(books, 500, { type: 'api_error', message: 'An unknown error occurred' })
  for (const account of books.accounts.values())
    account.replies.set(String(headers['idempotency-key']), {
      at: books.now(),
      request: `${path}\n${body}`,
      status: 500,
      body: broken.body,
    })
  return broken
}

/** The faults of the next write, and what Stripe then replies. Null: it closes the connection without a reply. */
const FAULTS = {
  /** It acts before it fails. */
  broken(books, request) {
    answer(books, request)
    return breakDown(books, request)
  },
  broken_before: breakDown,
  in_use: (books) =>
    refuse(books, 409, {
      type: 'idempotency_error',
      code: 'idempotency_key_in_use',
      message: 'Key in use',
    }),
  busy: (books) =>
    refuse(books, 429, { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests' }),
  /** It does not act. */
  cut_off: () => null,
  /** It acts. */
  hang_up(books, request) {
    answer(books, request)
    return null
  },
  /** It rejects the request, for a reason that is neither the account nor the amount. */
  refused: (books) =>
    refuse(books, 400, {
      type: 'invalid_request_error',
      code: 'parameter_invalid_string',
      message: 'Invalid string',
      param: 'metadata',
    }),
  /** The secret key has just been revoked. */
  revoked: (books) =>
    refuse(books, 401, { type: 'invalid_request_error', message: 'Invalid API Key provided' }),
} as const satisfies Record<string, (books: Books, request: ApiRequest) => ApiReply | null>

export type ApiFault = keyof typeof FAULTS

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

/** `problem`: the result of the last attempt. */
function checkoutPage(session: Stripe.Checkout.Session, name: string, problem: string | null): string {
  const { amount_total: amount, currency, mode, cancel_url: cancelUrl } = session
  const title = mode === 'setup' ? 'Save a card' : name
  const sum =
    amount === null
      ? ''
      : `<p><strong>${escapeHtml(decimal(amount))} ${escapeHtml(String(currency).toUpperCase())}</strong></p>`
  const buttons = Object.entries(CARDS)
    .filter(([key]) => mode === 'setup' || !key.startsWith('saved_'))
    .map(
      ([key, card]) =>
        `<button name="card" value="${key}">${escapeHtml(card.label)} ···· ${card.last4}</button>`,
    )
  return frame(
    title,
    `<p>Simulated Stripe, test money</p><h1>${escapeHtml(title)}</h1>${sum}
${problem === null ? '' : `<p role="alert">${escapeHtml(problem)}</p>`}
<form method="post">${buttons.join('\n')}</form>
${cancelUrl === null ? '' : `<p><a href="${escapeHtml(cancelUrl)}">Back to the shop</a></p>`}`,
  )
}

function challengePage(): string {
  return frame(
    'Is it you?',
    `<h1>Your bank asks: is it you?</h1><form method="post">
<button name="challenge" value="pass">Yes, pay</button>
<button name="challenge" value="fail">No</button></form>`,
  )
}

function overPage(): string {
  return frame('Over', '<h1>This page has expired or is paid</h1>')
}

function decimal(minor: number): string {
  return `${Math.trunc(minor / 100)}.${String(minor % 100).padStart(2, '0')}`
}

/** Webhooks. They are signed for each endpoint and retried after failures. An order can cause faults in them. */
import { createHmac } from 'node:crypto'
import { type Account, type Books, type Fault, faultOf, secondsOf, sessionOf, type Webhook } from './books.ts'

/** How often a webhook is sent at most, and how long after a failure. Stripe retries for three days. */
const ATTEMPTS_MAX = 6
const RETRY_MS = 5_000
const LATE_LETTER_MS = 30_000

/** Returns the status of the reply. Throws if nobody replies. */
export type Post = (url: string, headers: Record<string, string>, body: string) => Promise<number>

type Reported = { id: string; object: string }

export function tell(books: Books, account: Account, type: string, object: Reported): void {
  const events = { snapshot: snapshotOf(books, type, object), thin: thinOf(books, `v1.${type}`, object) }
  const fault = faultAbout(account, object)
  const lateMs = fault === 'late_callback' ? LATE_LETTER_MS : 0
  for (const endpoint of account.endpoints) {
    const event = events[endpoint.style ?? 'snapshot']
    if (!endpoint.events.includes('*') && !endpoint.events.includes(event.type)) continue
    const webhook: Webhook = {
      dueAt: new Date(books.now().getTime() + lateMs),
      attempts: 0,
      endpoint,
      body: JSON.stringify(event, null, 2),
      isLast: fault === 'reversed_callbacks',
    }
    const copies = fault === 'duplicate_callback' ? [webhook, { ...webhook }, { ...webhook }] : [webhook]
    // A fault that reverses the order puts this webhook before the earlier ones.
    if (webhook.isLast) account.webhooks.unshift(...copies)
    else account.webhooks.push(...copies)
  }
}

function snapshotOf(books: Books, type: string, object: Reported) {
  return {
    id: books.nextId('evt'),
    object: 'event',
    api_version: '2026-10-28.endive',
    created: secondsOf(books.now()),
    data: { object: structuredClone(object) },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  }
}

/** Where Stripe's API shows an object of this type. */
const PATHS: Record<string, string> = {
  'checkout.session': 'checkout/sessions',
  charge: 'charges',
  dispute: 'disputes',
  mandate: 'mandates',
  payment_intent: 'payment_intents',
  payment_method: 'payment_methods',
  refund: 'refunds',
}

/** The members of the library's `EventNotification`, without those that Stripe may leave out. */
function thinOf(books: Books, type: string, { id, object }: Reported) {
  return {
    id: books.nextId('evt'),
    object: 'v2.core.event',
    context: null,
    created: books.now().toISOString(),
    livemode: false,
    related_object: { id, type: object, url: `/v1/${PATHS[object]}/${id}` },
    type,
  }
}

function faultAbout(account: Account, object: { id: string }): Fault | undefined {
  const { payment_intent: intent } = object as { payment_intent?: unknown }
  const id = object.id.startsWith('cs_')
    ? object.id
    : sessionOf(account, object.id.startsWith('pi_') ? object.id : String(intent))?.id
  return faultOf(account, id ?? null)
}

/** Returns `t`, and one `v1` for each secret that the endpoint has now. */
export function signatureHeader(secrets: readonly string[], seconds: number, body: string): string {
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
    return `v1=${digest}`
  })
  return [`t=${seconds}`, ...signatures].join(',')
}

/** Sends what is due. Returns how many webhooks were sent. */
export async function sendLetters(books: Books, account: Account, post: Post): Promise<number> {
  const due = account.webhooks.filter(({ dueAt }) => dueAt <= books.now())
  account.webhooks = account.webhooks.filter((webhook) => !due.includes(webhook))
  for (const webhook of due) {
    const { endpoint, body } = webhook
    const signature = signatureHeader(endpoint.secrets, secondsOf(books.now()), body)
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature }
    const status = await post(endpoint.url, headers, body).catch(() => 0)
    webhook.attempts++
    if ((status >= 200 && status < 300) || webhook.attempts >= ATTEMPTS_MAX) continue
    webhook.dueAt = new Date(books.now().getTime() + RETRY_MS * webhook.attempts)
    account.webhooks.push(webhook)
  }
  return due.length
}

/** Webhooks. They are signed for each endpoint and retried after failures. An order can cause faults in them. */
import { createHmac } from 'node:crypto'
import { type Account, type Books, type Fault, faultOf, secondsOf, sessionOf, type Webhook } from './books.ts'

/** How often a webhook is sent at most, and how long after a failure. Stripe retries for three days. */
const ATTEMPTS_MAX = 6
const RETRY_MS = 5_000
export const LATE_LETTER_MS = 30_000

/** Returns the status of the reply. Throws if nobody replies. */
export type Post = (url: string, headers: Record<string, string>, body: string) => Promise<number>

export function tell(books: Books, account: Account, type: string, object: { id: string }): void {
  const event = {
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
  const fault = faultAbout(account, object)
  const lateMs = fault === 'late_callback' ? LATE_LETTER_MS : 0
  for (const endpoint of account.endpoints) {
    if (!endpoint.events.includes('*') && !endpoint.events.includes(type)) continue
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

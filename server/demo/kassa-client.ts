/** Calls Kassa for the demo shop: over HTTP and with its own token, as any merchant's back end does. */
import type { Context } from '../context.ts'
import type { PaymentSession } from '../contract/payment.ts'
import type { DemoCredentials } from './seed.ts'

const TIMEOUT_MS = 5_000

export type Answer<Body> = { ok: true; body: Body } | { ok: false; status: number; message: string }
type Shop = { ctx: Pick<Context, 'localUrl'>; demo: Pick<DemoCredentials, 'token'> }

export type RefundAnswer = { operation: { id: string; status: string; amountMinor?: number | null } }

export function lookUpPayment(shop: Shop, paymentId: string): Promise<Answer<PaymentSession>> {
  return call(shop, `/v1/payments?${new URLSearchParams({ paymentId })}`, {})
}

/** The idempotency key depends only on the payment and the part. So a second click or a retry makes no second refund. */
export function refundPayment(
  shop: Shop,
  paymentId: string,
  { amountMinor, part }: { amountMinor: number; part: 'part' | 'rest' },
): Promise<Answer<RefundAnswer>> {
  return call(shop, `/v1/payments/${encodeURIComponent(paymentId)}/refunds`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': `urts-${part}-${amountMinor}-${paymentId}`,
    },
    body: JSON.stringify({
      amountMinor,
      reason: part === 'part' ? 'A dented tin' : 'The buyer sent it back',
    }),
  })
}

async function call<Body>({ ctx, demo }: Shop, path: string, request: RequestInit): Promise<Answer<Body>> {
  const answer = await fetch(`${ctx.localUrl}${path}`, {
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${demo.token}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const body = (await answer.json()) as Body & { error?: { message: string } }
  if (answer.ok) return { ok: true, body }
  return { ok: false, status: answer.status, message: body.error?.message ?? '' }
}

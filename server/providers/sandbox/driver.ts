/**
 * The sandbox driver: speaks to the simulated bank, which is a provider like any other. Text goes out, text comes back, and
 * what does not read as the bank's answer is no answer.
 */
import { z } from 'zod'
import { CurrencyCode } from '../../contract/fields.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import type { Driver, MoneyWrite, ProviderCall, WriteResult } from '../driver.ts'
import { cardMembers } from './cards.ts'
import { SIGNATURE_HEADER } from './simulator/callbacks.ts'
import { FAULTS, summonedBy } from './simulator/fault.ts'

export const SandboxSettings = z.object({
  CUSTOMER: z
    .string()
    .min(1)
    .max(64)
    .default('kassa')
    .describe('The customer number at the simulated bank. It says whose account the money goes to.'),
  SECRET: z
    .string()
    .min(1)
    .max(200)
    .default('kassa-test-secret')
    .meta({ takes: 'text; a text that starts with `live_` stands for credentials of real money' })
    .describe("The customer's secret at the simulated bank."),
  STEPS: z
    .enum(['one', 'two'])
    .default('one')
    .describe(
      'With `one` a buyer has paid at once. With `two` the payment is authorized first and captured later.',
    ),
  OPERATIONS: z
    .enum(['enabled', 'disabled', 'not_configured'])
    .default('enabled')
    .describe(
      'Whether refunds, captures, voids, saved methods, subscriptions and receipts work. With `disabled` a request for one gets 409, with `not_configured` 501.',
    ),
  RENEWALS: z
    .enum(['enabled', 'disabled'])
    .default('enabled')
    .describe(
      'Whether failed renewals are tried again as `DUNNING_DELAYS` says. With `disabled` the route takes no subscriptions.',
    ),
  FAULT: z
    .enum(FAULTS)
    .optional()
    .describe('A fault of the simulated bank for each payment whose `metadata.sandboxFault` names none.'),
})

/** The bank's states in our words; where its amounts say more, the core goes by them. */
const STATUSES = {
  registered: 'pending_payment',
  declined: 'failed',
  cancelled: 'cancelled',
  unknown: 'status_unknown',
  approved: 'authorized',
  deposited: 'paid',
  refunded: 'refunded',
  reversed: 'reversed',
} as const satisfies Record<string, PaymentStatus>

const Money = z.int().min(0)
/** The bank's picture of an order, in its own words. */
const Picture = z.object({
  reference: z.string(),
  amountMinor: Money,
  currency: CurrencyCode,
  state: z.enum(Object.keys(STATUSES) as (keyof typeof STATUSES)[]),
  authorizedMinor: Money,
  capturedMinor: Money,
  refundedMinor: Money,
  refundPendingMinor: Money,
  disputed: z.boolean(),
  checkoutUrl: z.url(),
  decline: z.enum(['soft', 'hard']).optional(),
})

const Verdict = z.discriminatedUnion('result', [
  z.object({ result: z.enum(['done', 'pending']), operationId: z.string() }),
  z.object({ result: z.literal('refused'), message: z.string() }),
])
const Told = z.object({ reference: z.string() })

/** Null: the bank knows no such order. @throws Error for everything that is not an answer of the bank's */
async function ask(
  call: ProviderCall,
  path: Parameters<ProviderCall['bank']['request']>[0],
  question: object,
): Promise<unknown> {
  const { status, text } = await call.bank.request(path, JSON.stringify(question), call.now())
  if (status === 404) return null
  if (status !== 200) throw new Error(`the bank answered ${status}`)
  return JSON.parse(text)
}

function write(path: 'refund' | 'capture' | 'void') {
  return async (call: ProviderCall, order: MoneyWrite): Promise<WriteResult> => {
    const { reference, amountMinor, reason } = order
    const answer = await ask(call, path, { reference, amountMinor, reason })
    if (answer === null) return { kind: 'refused', message: 'the bank knows no such order' }
    const verdict = Verdict.parse(answer)
    return verdict.result === 'refused'
      ? { kind: 'refused', message: verdict.message }
      : { kind: verdict.result, operationId: verdict.operationId }
  }
}

/** How the label calls a route whose operations do not work. */
const STATES_OF_OPERATIONS: Record<string, string> = {
  disabled: 'refunds and other operations are disabled',
  not_configured: 'refunds and other operations are not set up',
}

export const sandboxDriver: Driver = {
  label: 'Simulated bank',
  labelOf({ STEPS, OPERATIONS }) {
    const steps = STEPS === 'two' ? 'payments are authorized, then captured' : 'payments are paid at once'
    return `Simulated bank: ${STATES_OF_OPERATIONS[String(OPERATIONS)] ?? steps}`
  },
  currencies: ['AMD', 'USD', 'EUR'],
  liveCapable: false,
  supportsAutoinit: true,
  identity: ['CUSTOMER'],
  secrets: ['SECRET'],
  // The bank has test money alone. A secret for real money exists so that its refusal can be tried out.
  modeOf: ({ SECRET }) => (String(SECRET).startsWith('live_') ? 'live' : 'test'),

  composeCheckout(call, attempt) {
    const { reference, merchantName, amountMinor, currency, returnUrl, callbackUrl, metadata } = attempt
    const twoStep = call.settings.STEPS === 'two'
    const fault = summonedBy(metadata) ?? (call.settings.FAULT as z.infer<typeof SandboxSettings>['FAULT'])
    const url = call.bank.orderUrl({
      reference,
      merchantName,
      amountMinor,
      currency,
      returnUrl,
      twoStep,
      callbackUrl,
      ...(fault && { fault, expiresAt: attempt.expiresAt.toISOString() }),
    })
    return { kind: 'redirect', url }
  },

  async lookUp(call, order) {
    const answer = await ask(call, 'status', { reference: order.reference })
    if (answer === null) return { kind: 'not_found' }
    const picture = Picture.parse(answer)
    const { reference, amountMinor, currency, state, disputed } = picture
    const { authorizedMinor, capturedMinor, refundedMinor, refundPendingMinor } = picture
    return {
      kind: 'found',
      opened: { kind: 'redirect', url: picture.checkoutUrl },
      snapshot: {
        status: disputed ? 'disputed' : STATUSES[state],
        reference,
        amountMinor,
        currency,
        authorizedMinor,
        capturedMinor,
        refundedMinor,
        refundPendingMinor,
        ...(state === 'declined' && { detail: 'the bank declined' }),
        ...(picture.decline && { decline: picture.decline }),
        ...(state === 'unknown' && { detail: "the bank's answer is lost" }),
      },
    }
  },

  refund: write('refund'),
  capture: write('capture'),
  void: write('void'),
  ...cardMembers,

  inbound: {
    parse(call, { headers, body }) {
      if (!call.bank.isSigned(body, headers[SIGNATURE_HEADER] ?? ''))
        return { kind: 'rejected', message: "the signature is not the bank's" }
      return { kind: 'hint', reference: Told.parse(JSON.parse(body.toString())).reference }
    },
  },
}

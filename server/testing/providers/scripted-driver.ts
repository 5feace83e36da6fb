/** A simulated provider whose responses a test sets, and that records its calls. It opens a new order for each start. */
import { z } from 'zod'
import type { Context } from '../../context.ts'
import type { CheckoutRequest, Driver, LookUpResult, StartResult } from '../../providers/driver.ts'

export type Script = {
  /** The next results of `startCheckout`, in order. If the list is empty, each call opens an order and returns it. */
  starts: ((open: () => StartResult) => StartResult | Promise<StartResult>)[]
  /** The result of a look-up. By default the real state. */
  lookUp: (truth: LookUpResult) => LookUpResult
  /** Every call, in order: `start` or `look-up`, and the reference. */
  calls: string[]
  /** How many orders were opened for each reference. */
  orders: Map<string, number>
}

/** Uses the provider for route_a of this context. `changes` replace methods of its driver. */
export function scriptRoute(
  ctx: Context,
  changes: Partial<Omit<Driver, 'startCheckout' | 'composeCheckout'>> = {},
): Script {
  const script: Script = { starts: [], lookUp: (truth) => truth, calls: [], orders: new Map() }
  const opened = (reference: string) =>
    ({ kind: 'redirect', url: `https://bank.example/pay/${reference}` }) as const
  const amounts = new Map<string, CheckoutRequest>()
  const driver: Driver = {
    label: 'Scripted',
    currencies: ['USD'],
    liveCapable: false,
    supportsAutoinit: true,
    settings: z.object({}),
    async startCheckout(_call, attempt) {
      const { reference } = attempt
      script.calls.push(`start ${reference}`)
      const open = () => {
        script.orders.set(reference, (script.orders.get(reference) ?? 0) + 1)
        amounts.set(reference, attempt)
        return opened(reference)
      }
      return (script.starts.shift() ?? ((go) => go()))(open)
    },
    async lookUp(_call, { reference }) {
      script.calls.push(`look-up ${reference}`)
      return script.lookUp(truthOf(amounts.get(reference), opened(reference)))
    },
    ...changes,
  }
  ctx.routes.route_a = { ...ctx.routes.route_a, driver }
  return script
}

function truthOf(
  attempt: CheckoutRequest | undefined,
  opened: Extract<StartResult, { kind: 'redirect' }>,
): LookUpResult {
  if (!attempt) return { kind: 'not_found' }
  const { reference, amountMinor, currency } = attempt
  const money = { amountMinor, currency, authorizedMinor: 0, capturedMinor: 0, refundedMinor: 0 }
  return { kind: 'found', opened, snapshot: { order: 'waiting', reference, ...money } }
}

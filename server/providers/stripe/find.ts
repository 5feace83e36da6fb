/**
 * Finds an order whose ids are not known, because the response that contained them was lost. Stripe cannot be asked for our
 * reference, and its search index is delayed. So recent objects are listed and compared. A customer has few, so a charge is looked for
 * among those of its customer where that is known.
 */
import type { OpenedBetween, ProviderOrder } from '../driver.ts'
import { askStripe, isMissing, read, type StripeCall } from './client.ts'
import { Found, type OrderState, REFERENCE } from './shapes.ts'

const PAGE_SIZE = 100
/** More pages would take longer than a question may take. */
const PAGES_MAX = 20
const MINUTE_MS = 60_000

type Kind = 'session' | 'intent'
type Window = { gte?: number; lte?: number }

/** `unsure`: there are too many objects to look through, so the result is unknown. */
export type Search = { kind: 'found'; state: OrderState } | { kind: 'not_found' } | { kind: 'unsure' }

export async function findOrder(
  call: StripeCall,
  { reference, opened, customer }: Pick<ProviderOrder, 'reference' | 'opened'> & Pick<OrderState, 'customer'>,
  kinds: readonly Kind[] = ['session', 'intent'],
): Promise<Search> {
  let pages = 0
  for (const window of windowsOf(call, opened))
    for (const kind of customer === undefined ? kinds : (['intent'] as const)) {
      let after: string | undefined
      do {
        if (++pages > PAGES_MAX) return { kind: 'unsure' }
        const { data, has_more } = await list(call, kind, { created: window, after, customer })
        const own = data.find(
          (each) => (each.client_reference_id ?? each.metadata?.[REFERENCE]) === reference,
        )
        if (own) return { kind: 'found', state: { [kind]: own.id } }
        after = has_more ? data.at(-1)?.id : undefined
      } while (after !== undefined)
    }
  return { kind: 'not_found' }
}

type ListRequest = { created: Window; after: string | undefined; customer: string | undefined }

async function list(call: StripeCall, kind: Kind, { created, after, customer }: ListRequest) {
  const page = {
    limit: PAGE_SIZE,
    ...(customer !== undefined && { customer }),
    ...(Object.keys(created).length > 0 && { created }),
    ...(after !== undefined && { starting_after: after }),
  }
  const answer = await askStripe<unknown>(call, async (stripe) =>
    kind === 'session' ? stripe.checkout.sessions.list(page) : stripe.paymentIntents.list(page),
  )
  const found = read(call, Found, answer)
  for (const each of found.data) read(call, Found.shape.data.element, each)
  return found
}

/**
 * Most orders are opened at the beginning of their time, so that part is read first. Stripe's clock may differ by some minutes. The
 * sandbox's clock can be far ahead of Stripe's, so there all recent objects are looked through.
 */
function windowsOf({ account }: StripeCall, opened: OpenedBetween | undefined): Window[] {
  if (!account.live || !opened) return [{}]
  const at = (moment: Date, minutes: number) => Math.floor((moment.getTime() + minutes * MINUTE_MS) / 1_000)
  const { after, before } = opened
  return [
    { gte: at(after, -5), lte: at(after, 30) },
    { gte: at(after, 30), lte: at(before, 5) },
  ]
}

/** Runs `act`. Returns null if Stripe has no such object. */
export async function nullIfMissing<Answer>(act: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await act()
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** The simulated gateway with its own HTTP server. Its callbacks are kept until a test takes them. */
import { send } from '../../light-http.ts'
import { serveSimulator } from '../simulator-server.ts'
import type { Movement, Shop } from './bank.ts'
import type { Transmission } from './callbacks.ts'
import { createGateway } from './gateway.ts'

export type RbsServer = Awaited<ReturnType<typeof startRbsServer>>

export async function startRbsServer(now: () => Date, shop: Partial<Shop> = {}) {
  let sent: Transmission[] = []
  let origin = ''
  const gateway = createGateway(shop, { now, origin: () => origin, deliver: (each) => sent.push(each) })
  const server = await serveSimulator(gateway.answer)
  origin = server.origin
  return {
    ...gateway,
    origin,
    /** Where the methods are, as the setting ADDRESS has it. */
    address: `${origin}/payment/rest/`,
    takeSent(): Transmission[] {
      gateway.bank.work()
      const all = sent
      sent = []
      return all
    },
    close: server.close,
  }
}

/** Plays the buyer on the page. `card`: null to go back without paying. Returns where the browser is sent; null if it stays. */
export async function actAsBuyer(url: string, card: string | null): Promise<string | null> {
  const body = new URLSearchParams(card === null ? { cancel: '1' } : { card })
  const answer = await send(url, { method: 'POST', body })
  if (answer.status >= 400) throw new Error(`the page says ${answer.status}`)
  return answer.headers.get('location')
}

/** The bank's own books of one order: what its movements add up to. */
export function sumsOf({ bank }: { bank: { movements: readonly Movement[] } }, number: string) {
  const own = bank.movements.filter((each) => each.number === number)
  const sum = (...kinds: Movement['kind'][]) =>
    own.reduce((total, { kind, minor }) => (kinds.includes(kind) ? total + minor : total), 0)
  // A capture of a part releases the rest. A cancellation releases everything, also what was taken.
  const released = sum('released')
  const isReversed = released > 0 && released >= sum('held')
  return {
    authorizedMinor: isReversed ? 0 : sum('held'),
    capturedMinor: sum('taken'),
    refundedMinor: sum('refunded') - sum('refund_undone'),
    isReversed,
  }
}

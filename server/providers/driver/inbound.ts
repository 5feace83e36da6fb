/** What providers send us on their own, and the replies that they expect. */
import type { CurrencyCode } from '../../contract/fields.ts'
import type { Snapshot } from './snapshot.ts'

/** A request as it arrived. Nothing of it has been verified yet. Header names are in lower case. */
export type RawInbound = {
  method: 'GET' | 'POST'
  path: string
  query: Record<string, string>
  headers: Record<string, string>
  /** The exact bytes, because they may be signed. */
  body: Buffer
}

/** `reference`: ours. A driver whose provider names only its own id asks the provider for our reference. */
type Order = { reference: string }

/**
 * `hint`: something has happened to the order, so the provider is asked. It may be unsigned. `state`: what the order is found
 * with, from a verified message. It is used only if no state is stored, because the response that contained it was lost.
 * `savedMethod`: ids of a saved method, where the provider does not name our reference: members of the `state` of `saveToken`
 * or `lookUpToken` that belong to this method alone. The provider is then asked about each saved method that has them all.
 * `precheck`: the provider asks whether this order may be paid now.
 * `proof`: verified, and the provider cannot be asked, so the snapshot itself counts.
 * `result`: verified, how a refund or a capture ended, from a provider that tells it nowhere else (`resultsByCallback`). `key`: ours, as the
 * write carried it. `id`: the provider's own, the `operationId` of its answer to the write. One of them names the write, the same in each
 * message about it. A refund that is not ours has an `id` alone. `failed`: also if it was `done` before.
 * `several`: one message about several orders. It is accepted if any part of it is, and sent again if any part could not be stored.
 * `rejected`: not from the provider, or not readable.
 */
export type InboundEvent =
  | OrderEvent
  | { kind: 'several'; events: OrderEvent[] }
  | { kind: 'rejected'; message: string }

/** What is said about one order. */
export type OrderEvent =
  | ({ kind: 'hint'; state?: unknown; savedMethod?: Record<string, string> } & Order)
  | ({ kind: 'precheck'; amountMinor: number; currency: CurrencyCode } & Order)
  | ({ kind: 'proof'; snapshot: Snapshot } & Order)
  | ({
      kind: 'result'
      write: 'refund' | 'capture'
      key?: string
      id?: string
      state: 'pending' | 'done' | 'failed'
      amountMinor: number
      currency: CurrencyCode
    } & Order)

/**
 * `accepted`: stored. For a pre-check, the order may be paid. `refused`: nothing of ours matches, and sending it again is
 * useless.
 * `not_stored`: certainly not, and the provider should send it again. `unsure`: of a proof whose storing broke off, nobody knows whether it
 * is stored. A provider that gives the money back when it reads `not_stored` must not do so now.
 */
export type InboundVerdict = 'accepted' | 'refused' | 'not_stored' | 'unsure'

export type RawReply = { status: number; headers?: Record<string, string>; body?: string }

export type Inbound<Call, Settings = Record<string, unknown>> = {
  /** May ask the provider, for example whether it has sent this. */
  receive(call: Call, raw: RawInbound): Promise<InboundEvent>
  /** Returns the reply that this protocol expects. Called after the outcome has been stored. */
  reply(event: InboundEvent, verdict: InboundVerdict): RawReply
  /**
   * The provider takes no money of an order before a `precheck` of it was accepted. So an order with none can be withdrawn here, without
   * a request: from then on its pre-checks are refused.
   */
  prechecks?: true
  /**
   * What this protocol reads where a callback could not be read or stored at all, whatever the reason: too many requests, too many bytes, a
   * database that is away. The provider then sends it again, or gives the money back. Absent: our own error, for a protocol that only
   * looks at the HTTP status. A provider that cannot be asked needs it.
   */
  unheard?: RawReply
  /** The addresses or networks from which the provider is known to call, such as `192.0.2.0/24`. Nothing limits how often they call. */
  callers?(settings: Settings): readonly string[]
}

/** For protocols that only look at the HTTP status. */
export function plainReply(event: InboundEvent, verdict: InboundVerdict): RawReply {
  if (event.kind === 'rejected') return { status: 403, body: 'rejected' }
  const status = { accepted: 200, refused: 404, not_stored: 503, unsure: 503 }[verdict]
  return { status, body: verdict }
}

/** The types of kassa.mjs. What the service takes and answers is in kassa-api.d.mts, which is written from its OpenAPI document. */
import type { components } from './kassa-api.d.mts'

type Schemas = components['schemas']
export type Payment = Schemas['PaymentSession']
export type PaymentLink = Schemas['PaymentLinkResponse']
export type Operation = Schemas['PaymentOperation']
export type OperationAnswer = Schemas['OperationResponse']
export type CancelAnswer = Schemas['CancelPaymentResponse']
export type KassaEvent = Schemas['PaymentStatusChanged']
export type Capabilities = Schemas['CapabilitiesResponse']
export type Act = 'wait' | 'deliver' | 'close' | 'take_back' | 'hold'

export type KassaError = {
  /** Decide by this. A later version may have more codes. */
  code: string
  /**
   * The HTTP status. 0: no answer came. With the code `not_reached` nothing was sent; with `no_answer` the request may have been carried
   * out. Of an event that is refused: what your receiver answers.
   */
  status: number
  message: string
  whatToDo: string
  retryable: boolean
  requestId: string | null
  /** The wrong fields of a 422, each with its sentence. */
  fields: Record<string, string>
  operation: Operation | null
  /** With `ifRefundedMinor`: what was refunded, and what waits to be. */
  refundedMinor: number | null
  pendingRefundMinor: number | null
  retryAfterSeconds: number | null
}
export type Result<Value> = { ok: true; value: Value; replayed: boolean } | { ok: false; error: KassaError }
type WithKey = { key: string }
type Digits = Record<string, number>

export declare const CURRENCY_DIGITS: Digits
export declare function toMinor(text: string, currency: string, digits?: Digits): number
export declare function toMajor(minor: number, currency: string, digits?: Digits): string
export declare function linkAmount(minor: number, currency: string, digits?: Digits): string

export declare const STATUS_MAP: Record<Payment['status'], Act>
export declare function actOf(status: string): Act
export type Asked = { amountMinor: number; currency: string; merchantOrderId?: string }
export declare function doubtOf(
  payment: Payment,
  asked: Asked | null | undefined,
  options?: { wasTakenBack?: boolean },
): string | null

export declare function keyOf(...parts: [string | number, ...(string | number)[]]): string

type Headers = Iterable<unknown> | Record<string, unknown> | { entries(): IterableIterator<[string, string]> }
export declare function verifyEvent(
  rawBody: Uint8Array | string | null | undefined,
  headers: Headers,
  options: { secrets: string | string[]; toleranceSeconds?: number; now?: number },
):
  | { ok: true; event: KassaEvent }
  | {
      ok: false
      error: KassaError & { code: 'no_signature' | 'wrong_signature' | 'stale' | 'not_an_event' }
    }
export declare function signEvent(
  event: object | string,
  options: { secrets: string | string[]; now?: number },
): { body: string; headers: Record<string, string> }

export declare function errorOf(status: number, body?: unknown, retryAfter?: string | null): KassaError

export type Kassa = {
  createPayment(
    request: Schemas['CreatePaymentSessionRequest'],
    options?: Partial<WithKey>,
  ): Promise<Result<Payment>>
  createLink(request: Schemas['CreatePaymentLinkRequest'], options: WithKey): Promise<Result<PaymentLink>>
  lookUp(paymentId: string): Promise<Result<Payment>>
  refund(
    paymentId: string,
    request: Schemas['CreateRefundRequest'],
    options: WithKey & { ifRefundedMinor?: number },
  ): Promise<Result<OperationAnswer>>
  capture(
    paymentId: string,
    request: Schemas['CreateCaptureRequest'] | null,
    options: WithKey,
  ): Promise<Result<OperationAnswer>>
  void(
    paymentId: string,
    request: Schemas['CreateVoidRequest'],
    options: WithKey,
  ): Promise<Result<OperationAnswer>>
  cancel(
    paymentId: string,
    request: Schemas['CancelPaymentRequest'],
    options: WithKey,
  ): Promise<Result<CancelAnswer>>
  lookUpOperation(operationId: string): Promise<Result<Operation>>
  capabilities(): Promise<Result<Capabilities>>
}
export declare function openKassa(settings: {
  url: string
  token: string
  waitSeconds?: number
  timeoutSeconds?: number
  tries?: number
  pauseSeconds?: number
  fetch?: typeof fetch
}): Kassa

/** The payment provider: what Medusa asks of Kassa. The decision on an event is in lib/decide.js. */
const {
  AbstractPaymentProvider,
  ContainerRegistrationKeys,
  MedusaError,
} = require('@medusajs/framework/utils')
const { actOf, keyOf } = require('kassa-client')
const { alone, factNow } = require('../../lib/facts')
const { minorOf } = require('../../lib/money')
const news = require('../../lib/news')
const { checkToken, openChecked } = require('../../lib/settings')
const { sessionStatusOf } = require('../../lib/statuses')

const RETRIES_MAX = 20

const refusal = (why) => new MedusaError(MedusaError.Types.NOT_ALLOWED, `Kassa: ${why}`)
const sayError = ({ message, whatToDo }) => `${message} ${whatToDo}`
const isFailed = ({ status }) => status === 'failed' || status === 'blocked'
const BOOKED_MEANWHILE =
  'money of this payment was returned meanwhile. Reload the order and look at its refunds before you return more.'
const CONTINUES = 'this is accepted and under way. The order changes by itself when it is done.'

class KassaProvider extends AbstractPaymentProvider {
  static identifier = 'kassa'

  static async validateOptions(options) {
    await checkToken(options)
  }

  constructor(cradle, options) {
    super(cradle, options)
    this.db = cradle[ContainerRegistrationKeys.PG_CONNECTION]
    this.kassa = openChecked(options)
  }

  /**
   * The session is the reference, because an order number is only given when the money has come.
   *
   * @param {any} input
   * @returns {Promise<import('@medusajs/framework/types').InitiatePaymentOutput>}
   */
  async initiatePayment({ amount, currency_code, data = {} }) {
    const { return_url, session_id } = data
    if (typeof return_url !== 'string')
      throw new MedusaError(
        MedusaError.Types.INVALID_DATA,
        'Give `data.return_url` with the payment session: the page to which the buyer returns.',
      )
    const currency = currency_code.toUpperCase()
    const amountMinor = minorOf(amount, currency)
    const request = {
      merchantOrderId: session_id,
      amountMinor,
      currency,
      returnUrl: return_url,
      metadata: { source: 'medusa' },
    }
    const made = await this.kassa.createPayment(request, {
      key: keyOf('pay', session_id, amountMinor, currency),
    })
    if (!made.ok) throw refusal(sayError(made.error))
    const { id, checkoutUrl } = made.value
    return {
      id,
      status: 'pending',
      data: { id, checkoutUrl, amountMinor, currency, session_id, return_url, refundedMinor: 0 },
    }
  }

  async #lookUp({ id }) {
    const answer = await this.kassa.lookUp(id)
    if (!answer.ok) throw refusal(sayError(answer.error))
    return answer.value
  }

  /**
   * A payment keeps its amount. Another amount needs another payment, and the old one is closed first.
   *
   * @param {any} input
   * @returns {Promise<import('@medusajs/framework/types').UpdatePaymentOutput>}
   */
  async updatePayment({ amount, currency_code, data }) {
    const isSame =
      data.currency === currency_code.toUpperCase() && data.amountMinor === minorOf(amount, currency_code)
    if (factNow() || isSame) return { data }
    await this.deletePayment({ data })
    return this.initiatePayment({ amount, currency_code, data })
  }

  async deletePayment({ data }) {
    if (!data?.id) return { data }
    await alone(data.id, () => this.#close(data))
    return { data }
  }

  async cancelPayment({ data }) {
    if (factNow()) return { data }
    try {
      await alone(data.id, () => this.#close(data))
    } catch (error) {
      // Medusa only logs it, and cancels the order. The decision tells the staff.
      await news.wake(this.db, data.id)
      throw error
    }
    return { data }
  }

  /** Ends what nobody has paid, and lets go what is held. */
  async #close(data) {
    const { status } = await this.#lookUp(data)
    if (actOf(status) === 'close' || status === 'reversed') return
    const reason = { reason: 'The order has changed.' }
    const answer =
      status === 'authorized'
        ? await this.kassa.void(data.id, reason, { key: keyOf('void', data.id) })
        : await this.kassa.cancel(data.id, reason, { key: keyOf('close', data.id) })
    const now = await this.#lookUp(data)
    if (actOf(now.status) === 'close' || now.status === 'reversed') return
    throw refusal(answer.ok ? CONTINUES : sayError(answer.error))
  }

  async authorizePayment({ data }) {
    return { data, status: sessionStatusOf(await this.#lookUp(data), data) }
  }

  async getPaymentStatus({ data }) {
    return { data, status: sessionStatusOf(await this.#lookUp(data), data) }
  }

  async retrievePayment({ data }) {
    return { data: { ...data, payment: await this.#lookUp(data) } }
  }

  async capturePayment({ data }) {
    if (factNow()) return { data }
    return alone(data.id, async () => {
      const answer = await this.kassa.capture(data.id, null, { key: keyOf('capture', data.id) })
      if (answer.ok && answer.value.operation.status === 'succeeded') return { data }
      if ((await this.#lookUp(data)).status === 'paid') return { data }
      if (!answer.ok) throw refusal(sayError(answer.error))
      const { operation } = answer.value
      throw refusal(isFailed(operation) ? (operation.statusReason ?? operation.status) : CONTINUES)
    })
  }

  /**
   * Medusa makes another refund for each try, so its id is no key. The key follows from what was returned before: pressed again after a
   * lost answer it is the same, and after a refund that is booked it is another.
   */
  async refundPayment({ data, amount, context }) {
    const amountMinor = minorOf(amount, data.currency)
    const refundedMinor = data.refundedMinor ?? 0
    const booked = { data: { ...data, refundedMinor: refundedMinor + amountMinor } }
    if (factNow()) return booked
    return alone(data.id, async () => {
      const stored = await news.readDataOf(this.db, context?.idempotency_key ?? '')
      if (stored && (stored.refundedMinor ?? 0) !== refundedMinor) throw refusal(BOOKED_MEANWHILE)
      // The refund of which Kassa did not answer may be booked by now, and this is the same wish again.
      const unanswered = await news.readUnanswered(this.db, data.id)
      if (unanswered !== null && unanswered !== refundedMinor) {
        await news.noteUnanswered(this.db, data.id, null)
        throw refusal(BOOKED_MEANWHILE)
      }
      const request = { amountMinor, currency: data.currency, reason: 'Returned in Medusa' }
      for (let failed = 0; failed < RETRIES_MAX; failed++) {
        const key = keyOf('refund', data.id, refundedMinor, failed, amountMinor)
        const answer = await this.kassa.refund(data.id, request, { key, ifRefundedMinor: refundedMinor })
        const isSilent = !answer.ok && answer.error.retryable
        await news.noteUnanswered(this.db, data.id, isSilent ? refundedMinor : null)
        if (!answer.ok) {
          // What was returned elsewhere is booked soon, also if its event does not come.
          if (answer.error.refundedMinor !== null) await news.wake(this.db, data.id)
          throw refusal(sayError(answer.error))
        }
        const { operation } = answer.value
        if (operation.status === 'succeeded') {
          if (await news.claimRefund(this.db, operation.id)) return booked
          await news.wake(this.db, data.id)
          throw refusal(BOOKED_MEANWHILE)
        }
        if (!isFailed(operation)) throw refusal(CONTINUES)
        // A refund that has failed before is no answer to this press.
        if (!answer.replayed) throw refusal(operation.statusReason ?? operation.status)
      }
      throw refusal('this refund has failed too often. Ask whoever runs your Kassa.')
    })
  }

  /**
   * Medusa's own hook answers before it verifies. Events go to /kassa/events.
   *
   * @returns {Promise<import('@medusajs/framework/types').WebhookActionResult>}
   */
  async getWebhookActionAndData() {
    return { action: 'not_supported' }
  }
}

exports.KassaProvider = KassaProvider

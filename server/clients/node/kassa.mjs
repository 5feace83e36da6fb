/**
 * The client of Kassa for Node 20 or newer. Copy this file into your project, with kassa.d.mts beside it for TypeScript. It has
 * no dependencies, and nothing happens when it is imported.
 *
 *   import { keyOf, openKassa } from './kassa.mjs'
 *   const kassa = openKassa({ url: 'https://pay.example', token: process.env.MERCHANT_API_TOKEN })
 *   const made = await kassa.createPayment({ merchantOrderId, amountMinor, currency, returnUrl }, { key: keyOf('pay', merchantOrderId) })
 *   if (made.ok) send(made.value.checkoutUrl)
 *   else console.error(made.error.code, made.error.message, made.error.whatToDo)
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

// --------------------------------------------------------------------------------------------------------- amounts

/** Digits behind the decimal point. Take `currencyDigits` of `capabilities()` for currencies that were added later. */
export const CURRENCY_DIGITS = { AMD: 2, USD: 2, EUR: 2 }
/** Payment links take whole amounts of these. */
const WHOLE_IN_LINKS = ['AMD']
const AMOUNT_MINOR_MAX = 1_000_000_000_000

function digitsOf(currency, digits) {
  if (!Object.hasOwn(digits, currency))
    throw new RangeError(
      `${currency} is not in the table of currencies, which has ${Object.keys(digits).join(', ')}. Give \`currencyDigits\` of \`capabilities()\` for others.`,
    )
  return digits[currency]
}

/** Returns minor units: `toMinor('19.00', 'USD')` is 1900. Takes text alone, because a float is not exact. Refuses what is not exact. */
export function toMinor(text, currency, digits = CURRENCY_DIGITS) {
  const places = digitsOf(currency, digits)
  if (typeof text !== 'string')
    throw new TypeError('Give the amount as text, such as "19.00": a number is not exact.')
  const [, whole, fraction = ''] = /^([0-9]{1,40})(?:\.([0-9]+))?$/.exec(text) ?? []
  if (whole === undefined)
    throw new RangeError(`"${text}" is no amount: write plain digits, such as 15 or 15.00.`)
  if (fraction.length > places) throw new RangeError(`${currency} takes at most ${places} decimals.`)
  const minor = BigInt(whole + fraction.padEnd(places, '0'))
  if (minor < 1n || minor > BigInt(AMOUNT_MINOR_MAX))
    throw new RangeError(`${text} ${currency} is not between the smallest and the largest amount.`)
  return Number(minor)
}

/** Returns the amount in major units with all its decimals: `toMajor(1900, 'USD')` is "19.00". */
export function toMajor(minor, currency, digits = CURRENCY_DIGITS) {
  const places = digitsOf(currency, digits)
  if (!Number.isInteger(minor) || minor < 0 || minor > AMOUNT_MINOR_MAX)
    throw new RangeError(`${minor} is no amount in minor units.`)
  const text = String(minor).padStart(places + 1, '0')
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
}

/** Returns the `amount` of a payment link for these minor units. A link in AMD takes whole drams only. */
export function linkAmount(minor, currency, digits = CURRENCY_DIGITS) {
  const text = toMajor(minor, currency, digits)
  if (WHOLE_IN_LINKS.includes(currency) && !/^[0-9]+(\.0+)?$/.test(text))
    throw new RangeError(`A payment link in ${currency} takes whole amounts only, not ${text}.`)
  return text
}

// ------------------------------------------------------------------------------------------------ what a shop does

/** What a shop does about a payment in each status. */
export const STATUS_MAP = {
  created: 'wait',
  pending_redirect: 'wait',
  pending_payment: 'wait',
  authorized: 'wait',
  paid: 'deliver',
  failed: 'close',
  cancelled: 'close',
  expired: 'close',
  reversed: 'take_back',
  partially_refunded: 'take_back',
  refunded: 'take_back',
  disputed: 'take_back',
  status_unknown: 'hold',
}

/**
 * `wait`: do not deliver, wait for an event. `deliver`: deliver once, if `doubtOf` finds nothing. `close`: nothing was paid, show it
 * or create a new payment. `take_back`: money went back or is disputed. `hold`: neither deliver nor cancel, a person decides. A
 * status that a later version adds is held.
 */
export function actOf(status) {
  return Object.hasOwn(STATUS_MAP, status) ? STATUS_MAP[status] : 'hold'
}

/**
 * Returns why a person must look before this payment's order is delivered, or null. `asked`: what your shop asks for the order,
 * `{ amountMinor, currency }`, and its `merchantOrderId` if you created the payment. `wasTakenBack`: an earlier event of the payment
 * had an act `take_back`.
 */
export function doubtOf(payment, asked, { wasTakenBack = false } = {}) {
  const { status, merchantOrderId, amountMinor, capturedMinor = amountMinor, currency } = payment
  if (status === 'partially_refunded') return 'a part was refunded before the order was delivered'
  if (actOf(status) !== 'deliver') return `the payment is ${status}`
  if (wasTakenBack) return 'paid, but refunded, reversed or disputed before the order was delivered'
  if (asked?.amountMinor !== amountMinor || asked?.currency !== currency)
    return 'paid, but not what you asked for'
  if ((asked.merchantOrderId ?? merchantOrderId) !== merchantOrderId) return 'paid, but for another order'
  return capturedMinor === amountMinor ? null : `only ${capturedMinor} of ${amountMinor} was captured`
}

// ----------------------------------------------------------------------------------------------------------- keys

/**
 * Returns an idempotency key that is the same for the same wish, also after a restart: `keyOf('refund', orderId, refundId)`. Another
 * wish needs another part, such as the number of the attempt. A key of your own is just as good.
 */
export function keyOf(...parts) {
  const texts = parts.map((part) => (Number.isSafeInteger(part) ? String(part) : part))
  if (texts.length === 0 || texts.some((text) => typeof text !== 'string' || text === ''))
    throw new TypeError('Each part of a key is a text that is not empty, or a whole number.')
  const joined = texts.map((text) => `${Buffer.byteLength(text)}:${text}`).join(',')
  return `kassa-${createHash('sha256').update(joined).digest('hex').slice(0, 40)}`
}

// --------------------------------------------------------------------------------------------------------- events

const EVENT_ADVICE = {
  no_signature: 'Give all headers of the request. Requests that are not from Kassa have no such header.',
  wrong_signature:
    'Compare the secret with the one of your Kassa, and read the body before any other code parses it.',
  stale: 'Set the clock of this machine. A request that was kept and is sent again later is refused too.',
  not_an_event: 'Ask whoever runs your Kassa what it sends here.',
}
/** A receiver answers it to what it does not take. */
const REFUSED = 401
const refused = (code, message) => ({
  ok: false,
  error: errorOf(REFUSED, { error: { code, message, hint: EVENT_ADVICE[code] } }),
})

/**
 * Checks an event and reads it. `rawBody`: the bytes as they came, as Buffer, Uint8Array or text. `headers`: all headers of the request.
 * `secrets`: one or several. Returns `{ ok: true, event }`, or `{ ok: false, error }` with the fields of every error of this client:
 * answer its `status`, which is 401, then.
 */
export function verifyEvent(rawBody, headers, { secrets, toleranceSeconds = 300, now = Date.now() / 1000 }) {
  const body = bytesOf(rawBody)
  const keys = keysOf(secrets)
  const signed = signaturesOf(headers)
  if (!signed)
    return refused('no_signature', 'There is no X-SERVICE-Signature header with a time in seconds.')
  // Every secret is compared with every signature: there are several of both while a secret is being rotated.
  const expected = keys.map((key) => signed.digest(key, body)).filter((digest) => digest !== null)
  const fits = expected.flatMap((digest) => signed.given.map((each) => isEqual(each, digest)))
  if (!fits.includes(true))
    return refused(
      'wrong_signature',
      'No signature fits: check the secret, and that the body is read as it came.',
    )
  const age = Math.round(now - Number(signed.t))
  if (Math.abs(age) > toleranceSeconds)
    return refused('stale', `It was signed ${age < 0 ? `${-age} s in the future` : `${age} s ago`}.`)
  const event = parse(body)
  return isObject(event?.payment)
    ? { ok: true, event }
    : refused('not_an_event', 'The body is no event of Kassa.')
}

/** Returns the body and the headers of a request that `verifyEvent` accepts, for the tests of your receiver. */
export function signEvent(event, { secrets, now = Date.now() / 1000 }) {
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  const id = parse(Buffer.from(body))?.id ?? 'evt_test'
  const t = String(Math.floor(now))
  const keys = keysOf(secrets)
  const hex = keys.map((key) => `v1=${digestOf(key, `${t}.${body}`).toString('hex')}`)
  const standard = keys
    .map(standardKey)
    .filter((key) => key !== null)
    .map((key) => `v1,${digestOf(key, `${id}.${t}.${body}`).toString('base64')}`)
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-service-signature': [`t=${t}`, ...hex].join(','),
      'webhook-id': id,
      'webhook-timestamp': t,
      'webhook-signature': standard.join(' '),
    },
  }
}

function keysOf(secrets) {
  const given = (Array.isArray(secrets) ? secrets : [secrets]).map((secret) => (secret ?? '').trim())
  const keys = given.filter((secret) => secret !== '' && secret !== 'whsec_')
  if (keys.length === 0) throw new TypeError('There is no webhook secret. Whoever runs your Kassa has it.')
  return keys
}

function bytesOf(rawBody) {
  if (typeof rawBody === 'string' || rawBody instanceof Uint8Array) return Buffer.from(rawBody)
  if (rawBody == null) return Buffer.alloc(0)
  throw new TypeError('The body was parsed already: give its raw bytes, before express.json() or bodyParser.')
}

const TIME = /^[0-9]{10}$/
/** More are not read: there are as many as there are live secrets. */
const SIGNATURES_MAX = 10
const KEY_BYTES_MIN = 16
const digestOf = (key, ...texts) =>
  texts.reduce((hmac, text) => hmac.update(text), createHmac('sha256', key)).digest()
/** Returns the key of Standard Webhooks, or null: anybody can sign with what an incomplete secret leaves. */
function standardKey(secret) {
  const [, text = ''] = /^(?:whsec_)?([A-Za-z0-9+/]+)={0,2}$/.exec(secret) ?? []
  const key = Buffer.from(text, 'base64')
  return text.length % 4 === 1 || key.length < KEY_BYTES_MIN ? null : key
}
const isEqual = (one, other) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

/** Returns the time, the given digests as text, and how a digest is made: of the contract's header, else of Standard Webhooks. */
function signaturesOf(headers) {
  const own = headerOf(headers, 'x-service-signature')
  if (own !== '') {
    const parts = own.split(',').map((part) => part.split('='))
    const t = parts.find(([name]) => name === 't')?.[1] ?? ''
    const given = parts
      .filter(([name, hex = '']) => name === 'v1' && /^[0-9a-f]{64}$/.test(hex))
      .map(([, hex]) => hex)
    const digest = (key, body) => digestOf(key, `${t}.`, body).toString('hex')
    return TIME.test(t) ? { t, given: given.slice(0, SIGNATURES_MAX), digest } : null
  }
  const [id, t] = [headerOf(headers, 'webhook-id'), headerOf(headers, 'webhook-timestamp')]
  const given = headerOf(headers, 'webhook-signature')
    .split(' ')
    .map((part) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(part)?.[1])
    .filter((each) => each !== undefined)
  const digest = (secret, body) => {
    const key = standardKey(secret)
    return key && digestOf(key, `${id}.${t}.`, body).toString('base64')
  }
  return id !== '' && TIME.test(t) ? { t, given: given.slice(0, SIGNATURES_MAX), digest } : null
}

function headerOf(headers, name) {
  const entries =
    typeof headers?.entries === 'function' ? [...headers.entries()] : Object.entries(headers ?? {})
  const [, value = ''] = entries.find(([each]) => each.toLowerCase() === name) ?? []
  return String(value)
}

/** Something is in it, as in every event and every answer of Kassa. */
const isObject = (value) =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0

const DEPTH_MAX = 64

/** Half of a surrogate pair and deep nesting are in no text of Kassa, and not every language can read them. */
function isPlain(value, depth = 1) {
  if (typeof value === 'string') return value.isWellFormed()
  if (value === null || typeof value !== 'object') return true
  const isRight = ([key, each]) => key.isWellFormed() && isPlain(each, depth + 1)
  return depth <= DEPTH_MAX && Object.entries(value).every(isRight)
}

/** Returns the object that these bytes are as JSON, or null. */
function parse(bytes) {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
    return isObject(value) && isPlain(value) ? value : null
  } catch {
    return null
  }
}

// ---------------------------------------------------------------------------------------------------------- calls

/** What to do about an answer that has no hint of its own. */
const ADVICE = {
  0: 'Send the same request again with the same key. It may have been carried out.',
  200: 'Check the address and its port: what answers there may not be Kassa. If it is, send the same request again with the same key. It may have been carried out.',
  400: 'Check the address and its port: what answers there may not be Kassa.',
  401: 'Do not retry. Check the token.',
  403: 'Do not retry. Check what the token may do, and from where.',
  404: 'Check the id and the address.',
  409: 'Look the payment up. Its state does not allow this, or the route does not offer it.',
  422: 'Correct the request. `fields` names each wrong field.',
  429: 'Wait, then send the same request again.',
  500: 'Send the same request again later with the same key.',
  501: 'Ask whoever runs your payment service.',
  503: 'Send the same request again later with the same key.',
}
const PASSING = [0, 408, 429, 500, 502, 503, 504]

/** What to check if Kassa was not reached. */
const UNREACHED = {
  away: 'Check the address and its port, that Kassa runs, and that this machine may connect to it.',
  unknown: 'Check the address: nobody knows a machine of this name.',
  insecure:
    'Check the address, its port, its certificate and the clock of this machine: no secure connection to it can be made.',
}
/** OpenSSL's codes for what is found out before a request is sent. */
const INSECURE =
  /^(?:CERT_|ERR_TLS_CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_|ERR_SSL_WRONG_VERSION|ERR_SSL_PACKET_LENGTH)/

/** Returns why nothing was sent, as a key of `UNREACHED`, or null if something may have been. */
function unreachedBy(cause) {
  // A name with several addresses has an error for each.
  const failed = cause?.errors?.length ? cause.errors : [cause]
  if (failed.every((each) => each?.syscall === 'getaddrinfo')) return 'unknown'
  const isAway = (each) =>
    each?.syscall === 'connect' || each?.code === 'UND_ERR_CONNECT_TIMEOUT' || each?.message === 'bad port'
  if (failed.every(isAway)) return 'away'
  return INSECURE.test(cause?.code) ? 'insecure' : null
}

/** Returns the error for a call that got no answer. `wasSent`: an earlier try of it may have been carried out. */
function silenceOf(failure, wasSent) {
  const cause = failure?.cause
  const texts = [cause?.errors?.[0]?.message, cause?.message, cause?.code, failure?.message]
  const why = `(${texts.find(isText)?.trim()})`
  const kind = wasSent ? null : unreachedBy(cause)
  if (kind !== null) {
    const message = `Kassa was not reached, and nothing was sent. ${why}`
    return errorOf(0, { error: { code: 'not_reached', message, hint: UNREACHED[kind] } })
  }
  // Another protocol answers there.
  const hint = cause?.name === 'HTTPParserError' ? ADVICE[200] : ADVICE[0]
  return errorOf(0, { error: { message: `Kassa did not answer. ${why}`, hint } })
}

const isText = (value) => typeof value === 'string' && value !== ''
const isFlag = (value) => typeof value === 'boolean'

/** Returns the error of an answer as a value. A proxy may answer in Kassa's place, so a field counts only in its type. */
export function errorOf(status, body, retryAfter = null) {
  const given = isObject(body) && isObject(body.error) ? body.error : {}
  const wrong = isText(given.code) ? 422 : 400
  const fallback = status >= 500 ? 500 : status >= 400 ? wrong : status >= 300 ? 404 : status > 0 ? 200 : 0
  const fields = isObject(body) && isObject(body.errors) ? body.errors : {}
  const take = (name, isRight, otherwise = null) => (isRight(given[name]) ? given[name] : otherwise)
  const silence =
    status === 0 ? 'Kassa did not answer.' : `Kassa answered ${status} without an error that can be read.`
  return {
    code: take('code', isText, status === 0 ? 'no_answer' : 'unexpected_answer'),
    status,
    message: take('message', isText, silence),
    whatToDo: take('hint', isText, ADVICE[status] ?? ADVICE[fallback]),
    // A result that was cut off on the way is like none.
    retryable: take('retryable', isFlag, PASSING.includes(status) || fallback === 200),
    requestId: take('requestId', isText),
    fields: Object.fromEntries(Object.entries(fields).filter(([, sentence]) => isText(sentence))),
    operation: take('operation', isObject),
    refundedMinor: take('refundedMinor', Number.isSafeInteger),
    pendingRefundMinor: take('pendingRefundMinor', Number.isSafeInteger),
    retryAfterSeconds: isText(retryAfter) && /^[0-9]{1,6}$/.test(retryAfter) ? Number(retryAfter) : null,
  }
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** What somebody has put there by mistake, and what no log should have. */
const SECRET = /ksk_|whsec_|@/

function addressOf(url) {
  const parsed = URL.canParse(url) ? new URL(url) : null
  const isRight =
    parsed &&
    (parsed.protocol === 'https:' || (parsed.protocol === 'http:' && LOOPBACK.includes(parsed.hostname)))
  if (!isRight || parsed.username || parsed.search || parsed.hash || !/^\/?$/.test(parsed.pathname))
    throw new TypeError(
      `The address of Kassa is https://HOST, or http on this machine, without a path${SECRET.test(url) ? ' and without any secret' : `: not "${url}"`}.`,
    )
  return parsed.origin
}

function pathOf(kind, id, rest = '') {
  if (typeof id !== 'string' || id === '') throw new TypeError('The id is missing.')
  return `/v1/${kind}/${encodeURIComponent(id)}${rest}`
}

function needKey(key) {
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,160}$/.test(key))
    throw new TypeError(
      "This call needs a key of 1 to 160 printable characters, such as keyOf('refund', orderId, refundId).",
    )
  return key
}

function needMinor(minor) {
  if (!Number.isSafeInteger(minor) || minor < 0)
    throw new TypeError(
      '`ifRefundedMinor` is a whole number of minor units. Leave it out if it does not matter.',
    )
  return String(minor)
}

const NOT_MINOR =
  "`amountMinor` is a whole number of minor units: toMinor('19.00', 'USD') is 1900. A number with decimals is not exact."

/**
 * Returns the calls. `url`: the address of your Kassa. `token`: the merchant token. `waitSeconds`: how long an operation may be waited
 * for. `tries`: how often a call is sent at most; one that moves anything is repeated only with its key. `fetch`: another way out.
 */
export function openKassa({
  url,
  token,
  waitSeconds = 3,
  timeoutSeconds = 30,
  tries = 3,
  pauseSeconds = 0.5,
  fetch: send = globalThis.fetch,
}) {
  const base = addressOf(url)
  if (!/^\s*[\x21-\x7e]+\s*$/.test(token ?? ''))
    throw new TypeError(
      'The merchant token is missing, or something else is in it: it is one word that begins with ksk_.',
    )

  /** `wasSent`: an earlier try may have been carried out. */
  async function once(method, path, { body, headers, wasSent }) {
    try {
      const answer = await send(`${base}${path}`, {
        method,
        // The token must not follow a redirect to another host.
        redirect: 'manual',
        signal: AbortSignal.timeout((timeoutSeconds + waitSeconds) * 1000),
        headers: {
          authorization: `Bearer ${token.trim()}`,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      })
      const value = parse(await answer.arrayBuffer())
      const isDone = (answer.status === 200 || answer.status === 201) && value !== null
      if (isDone) return { ok: true, value, replayed: answer.headers.has('x-idempotent-replay') }
      return { ok: false, error: errorOf(answer.status, value, answer.headers.get('retry-after')) }
    } catch (failure) {
      return { ok: false, error: silenceOf(failure, wasSent) }
    }
  }

  /** `key`: the idempotency key. Without one, only what changes nothing is sent again. */
  async function call(method, path, { body, key, headers = {} } = {}) {
    const isSafe = method === 'GET' || key !== undefined
    const amountMinor = body?.amountMinor
    if (typeof amountMinor === 'number' && !Number.isSafeInteger(amountMinor)) throw new TypeError(NOT_MINOR)
    const sent = body && JSON.stringify(body)
    const all = { ...headers, ...(key !== undefined && { 'idempotency-key': needKey(key) }) }
    let wasSent = false
    for (let at = 1; ; at++) {
      const result = await once(method, path, { body: sent, headers: all, wasSent })
      wasSent ||= result.error?.code !== 'not_reached'
      if (result.ok || !isSafe || !result.error.retryable || at >= tries) return result
      const pause = result.error.retryAfterSeconds ?? pauseSeconds * 2 ** (at - 1)
      if (pause > timeoutSeconds) return result
      await new Promise((resolve) => setTimeout(resolve, pause * (1000 + Math.random() * 250)))
    }
  }

  const wait = { prefer: `wait=${waitSeconds}` }
  /** An operation on a payment. */
  const operate = (paymentId, what, body, key, headers = {}) =>
    call('POST', pathOf('payments', paymentId, `/${what}`), { body, key: needKey(key), headers })

  return {
    /** Opens a payment. Send the buyer to `value.checkoutUrl`. */
    createPayment: (request, { key } = {}) => call('POST', '/v1/payment-sessions', { body: request, key }),
    /** Opens a payment with a link that can be sent. */
    createLink: (request, { key } = {}) =>
      call('POST', '/v1/payment-links', { body: request, key: needKey(key) }),
    lookUp: (paymentId) => {
      if (typeof paymentId !== 'string' || paymentId === '') throw new TypeError('The id is missing.')
      return call('GET', `/v1/payments?paymentId=${encodeURIComponent(paymentId)}`)
    },
    /** `ifRefundedMinor`: refund only if this much was refunded before, also from outside. Else 409, with `error.refundedMinor`. */
    refund: (paymentId, request, { key, ifRefundedMinor } = {}) =>
      operate(paymentId, 'refunds', request, key, {
        ...wait,
        ...(ifRefundedMinor !== undefined && { 'kassa-if-refunded-minor': needMinor(ifRefundedMinor) }),
      }),
    capture: (paymentId, request, { key } = {}) => operate(paymentId, 'capture', request ?? {}, key, wait),
    void: (paymentId, request, { key } = {}) => operate(paymentId, 'void', request, key, wait),
    /** Ends a payment that nobody has paid. */
    cancel: (paymentId, request, { key } = {}) => operate(paymentId, 'cancel', request, key),
    lookUpOperation: (operationId) => call('GET', pathOf('operations', operationId)),
    capabilities: () => call('GET', '/v1/capabilities'),
  }
}

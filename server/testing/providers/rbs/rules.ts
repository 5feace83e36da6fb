/** The limits of the fields. The simulated gateway accepts no field and no value beyond them. Source: 7.1.1 of ArCa's manual. */

const ORDER_ID = /^[\da-f-]{1,64}$/i
const MINOR = /^[1-9]\d{0,19}$/
const LANGUAGE = /^[a-z]{2}$/

const FIELDS: Readonly<Record<string, RegExp>> = {
  userName: /^.{1,30}$/,
  password: /^.{1,30}$/,
  orderNumber: /^[\w-]{1,32}$/,
  amount: MINOR,
  currency: /^\d{3}$/,
  returnUrl: /^https?:\/\/.{1,504}$/,
  // What goes to the processor has no percent, plus or line break.
  description: /^[^%+\r\n]{0,1024}$/,
  language: LANGUAGE,
  clientId: /^.{1,255}$/,
  sessionTimeoutSecs: /^([1-9]\d{0,2}|1[01]\d{2}|1200)$/,
  orderId: ORDER_ID,
  mdOrder: ORDER_ID,
  bindingId: /^.{1,255}$/,
  externalRefundId: /^[\w-]{1,32}$/,
}

const REGISTER = 'orderNumber amount returnUrl ?currency ?description ?language ?clientId ?sessionTimeoutSecs'

/** The fields of each method besides the login. With a question mark: it may be absent. */
const METHODS: Readonly<Record<string, string>> = {
  'register.do': REGISTER,
  'registerPreAuth.do': REGISTER,
  'getOrderStatusExtended.do': '?orderId ?orderNumber ?language',
  'deposit.do': 'orderId ?amount',
  'reverse.do': 'orderId',
  'refund.do': 'orderId amount',
  'paymentOrderBinding.do': 'mdOrder bindingId ?language',
  'getBindings.do': 'clientId',
  'unBindCard.do': 'bindingId',
}
const OF_OTHERS: Readonly<Record<string, string>> = {
  ...METHODS,
  'refund.do': 'orderId amount ?externalRefundId',
  'decline.do': 'orderId orderNumber',
}

export const OF_BINDINGS = ['paymentOrderBinding.do', 'getBindings.do', 'unBindCard.do']

/** Returns whether the gateway has the method. */
export const hasMethod = (kind: 'arca' | 'other', method: string) =>
  Object.hasOwn(kind === 'arca' ? METHODS : OF_OTHERS, method)

/** Returns the code of the first thing that is wrong with a request; null if there is none. */
export function faultOf(kind: 'arca' | 'other', method: string, form: URLSearchParams): 4 | 5 | null {
  const listed = (kind === 'arca' ? METHODS : OF_OTHERS)[method]?.split(' ') ?? []
  const names = ['userName', 'password', ...listed]
  if (names.some((name) => !name.startsWith('?') && !form.get(name))) return 4
  const known = names.map((name) => name.replace('?', ''))
  const given = [...form]
  if (new Set(form.keys()).size !== given.length) return 5
  if (given.some(([name, value]) => !known.includes(name) || !FIELDS[name]?.test(value))) return 5
  const processed = (form.get('orderNumber') ?? '').length + (form.get('description') ?? '').length
  return processed > 99 ? 5 : null
}

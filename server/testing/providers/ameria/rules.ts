/** The fields of each operation. The simulated vPOS takes no other field and no other value. */
const GUID = /^[\da-f-]{36}$/i
const AMOUNT = /^\d{1,13}\.\d\d$/

/** `number`: a number in JSON, and not a text. */
const FIELDS: Readonly<Record<string, RegExp | 'number'>> = {
  ClientID: /^.{1,64}$/,
  Username: /^.{1,64}$/,
  Password: /^.{1,64}$/,
  OrderID: 'number',
  Amount: AMOUNT,
  Currency: /^\d{3}$/,
  Description: /^[^\r\n]{0,1000}$/,
  BackURL: /^https?:\/\/.{1,1000}$/,
  Opaque: /^[\x20-\x7e]{0,255}$/,
  Timeout: 'number',
  CardHolderID: /^\w{1,36}$/,
  PaymentType: 'number',
  PaymentID: GUID,
}

/** With a question mark: it may be absent. */
const OPERATIONS: Readonly<Record<string, string>> = {
  InitPayment: 'ClientID OrderID Amount Currency Description BackURL Opaque Timeout ?CardHolderID',
  GetPaymentDetails: 'PaymentID',
  GetPaymentId: 'ClientID OrderID',
  ConfirmPayment: 'PaymentID Amount',
  CancelPayment: 'PaymentID',
  RefundPayment: 'PaymentID Amount',
  MakeBindingPayment: 'ClientID OrderID Amount Currency Description BackURL Opaque CardHolderID PaymentType',
  GetBindings: 'ClientID PaymentType',
  DeactivateBinding: 'ClientID CardHolderID PaymentType',
}

export const hasOperation = (name: string) => Object.hasOwn(OPERATIONS, name)

/** Returns the code of the first thing that is wrong with a request; null if there is none. */
export function faultOf(operation: string, body: Record<string, unknown>): '04' | '05' | '30' | null {
  const names = ['Username', 'Password', ...(OPERATIONS[operation] ?? '').split(' ')]
  if (names.some((name) => !name.startsWith('?') && body[name] === undefined)) return '04'
  const known = names.map((name) => name.replace('?', ''))
  for (const [name, value] of Object.entries(body)) {
    const rule = FIELDS[name]
    if (!known.includes(name) || rule === undefined) return '05'
    const fits =
      rule === 'number' ? Number.isSafeInteger(value) : typeof value === 'string' && rule.test(value)
    if (!fits) return name === 'Opaque' ? '30' : '05'
  }
  return null
}

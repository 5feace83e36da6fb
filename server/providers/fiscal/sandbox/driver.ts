/** The sandbox fiscal driver. It calls the simulated cash register over HTTP, like any other register. */
import { z } from 'zod'
import { FAULT_NAMES } from '../../../contract/faults.ts'
import { CURRENCY_CODES } from '../../../contract/fields.ts'
import type { FiscalCall, FiscalDriver, PrintResult, ReceiptOrder } from '../driver.ts'
import { Found, Printed, REGISTER_FAULTS, type RegisterOrder } from './wire.ts'

export const SandboxFiscalSettings = z.object({
  REGISTER: z
    .string()
    .min(1)
    .max(64)
    .default('sandbox')
    .describe(
      "The simulated cash register's name. Accounts of one owner with the same name share a register.",
    ),
  SECRET: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ takes: 'text' })
    .describe(
      "The register's secret. The registers that this service runs itself have one without this setting.",
    ),
  ADDRESS: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({ takes: 'a web address' })
    .describe(
      "The simulated cash register's address. Without it, the register that this service runs itself, as for the simulated bank.",
    ),
  FAULT: z
    .enum(REGISTER_FAULTS)
    .optional()
    .describe('A fault of the simulated cash register for each receipt, until the setting is removed.'),
})

export const sandboxFiscalDriver: FiscalDriver = {
  label: 'Simulated cash register',
  currencies: CURRENCY_CODES,
  secrets: ['SECRET'],
  registerOf: ({ REGISTER }) => String(REGISTER),
  addresses: ({ ADDRESS }) => (typeof ADDRESS === 'string' ? [ADDRESS] : []),
  issueReceipt: (call, order) => print(call, order),
  issueRefundReceipt: (call, order) => print(call, order, order.saleNumber),

  async lookUpReceipt(call, { reference }) {
    const way = wayTo(call)
    if (way === null) return { kind: 'unavailable', message: WITHOUT_ACCESS }
    const url = `${way.url}/${encodeURIComponent(reference)}`
    const { status, text } = await call.http.request({ method: 'GET', url, headers: way.headers })
    if (status === 404) return { kind: 'not_found' }
    if (status === 401) return { kind: 'unavailable', message: WRONG_SECRET }
    if (status !== 200) throw new Error(`the register answered ${status}`)
    return { kind: 'issued', number: String(Found.parse(JSON.parse(text)).number) }
  },
}

const WITHOUT_ACCESS = 'the address or the secret of the register is not set'
const WRONG_SECRET = 'the register refuses its name or its secret'

async function print(call: FiscalCall, order: ReceiptOrder, saleNumber?: string): Promise<PrintResult> {
  const way = wayTo(call)
  if (way === null) return { kind: 'unavailable', message: WITHOUT_ACCESS }
  const { reference, sequence, amountMinor, currency, metadata } = order
  const fault = call.settings.FAULT as RegisterOrder['fault']
  const paymentFault = FAULT_NAMES.find((each) => each === metadata?.sandboxFault)
  const body: RegisterOrder = {
    reference,
    sequence,
    amountMinor,
    currency,
    ...(saleNumber && { saleNumber }),
    ...(fault && { fault }),
    ...(paymentFault && { paymentFault }),
  }
  const { status, text } = await call.http.request({
    method: 'POST',
    url: way.url,
    headers: { ...way.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (status === 401) return { kind: 'unavailable', message: WRONG_SECRET }
  if (status !== 200) throw new Error(`the register answered ${status}`)
  const answer = Printed.parse(JSON.parse(text))
  return answer.result === 'printed'
    ? { kind: 'issued', number: String(answer.number) }
    : { kind: answer.result, message: answer.message }
}

function wayTo({
  settings: { ADDRESS, SECRET },
  name,
}: FiscalCall): { url: string; headers: Record<string, string> } | null {
  if (typeof ADDRESS !== 'string' || typeof SECRET !== 'string') return null
  const credentials = Buffer.from(`${encodeURIComponent(name)}:${SECRET}`).toString('base64')
  return { url: `${ADDRESS}/api/receipts`, headers: { authorization: `Basic ${credentials}` } }
}

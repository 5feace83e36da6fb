/** The sandbox fiscal driver: speaks to the simulated cash register. */
import { z } from 'zod'
import type { FiscalCall, FiscalDriver, PrintResult, ReceiptOrder } from '../driver.ts'
import { REGISTER_FAULTS } from './register.ts'

export const SandboxFiscalSettings = z.object({
  REGISTER: z
    .string()
    .min(1)
    .max(64)
    .default('sandbox')
    .describe(
      "The simulated cash register's name. Accounts of one owner with the same name share a register.",
    ),
  FAULT: z
    .enum(REGISTER_FAULTS)
    .optional()
    .describe('A fault of the simulated cash register for each receipt, until the setting is removed.'),
})

export const sandboxFiscalDriver: FiscalDriver = {
  label: 'Simulated cash register',
  currencies: ['AMD', 'USD', 'EUR'],
  registerOf: ({ REGISTER }) => String(REGISTER),
  issueReceipt: (call, order) => print(call, order),
  issueRefundReceipt: (call, order) => print(call, order, order.saleNumber),

  async lookUpReceipt(call, { reference }) {
    const number = await call.register.find(call.name, reference)
    return number === null ? { kind: 'not_found' } : { kind: 'issued', number: String(number) }
  },
}

async function print(call: FiscalCall, order: ReceiptOrder, saleNumber?: string): Promise<PrintResult> {
  const { reference, sequence, amountMinor, currency, metadata } = order
  const failsOnce = saleNumber === undefined && metadata?.sandboxFault === 'receipt_fails_once'
  const fault = failsOnce ? 'refuses_once' : (call.settings.FAULT as SandboxFault)
  const printed = await call.register.print(
    { register: call.name, reference, sequence, amountMinor, currency, ...(saleNumber && { saleNumber }) },
    fault,
  )
  return typeof printed === 'number' ? { kind: 'issued', number: String(printed) } : printed
}

type SandboxFault = z.infer<typeof SandboxFiscalSettings>['FAULT']

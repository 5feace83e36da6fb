/** Credentials at the simulated bank, so that a merchant can have an account of its own in the sandbox. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'

/**
 * Returns the secret of a customer of the simulated bank. Anybody may be a customer. A higher version is a newer secret, and
 * the earlier ones stay valid.
 * @throws AppError validation_failed in the live world, or for a name that the bank does not allow
 */
export function bankCustomerSecret({ sandbox }: Context, customer: string, version: number): string {
  if (!sandbox)
    throw new AppError('validation_failed', {
      message: 'The simulated bank exists in the sandbox only. Real credentials come from the provider.',
    })
  if (!sandbox.bank.customers.isPossibleName(customer))
    throw new AppError('validation_failed', {
      message: `The name "${customer.slice(0, 80)}" is not possible. Use 1 to 64 letters, digits, dots, hyphens and underscores, and begin with a letter or a digit.`,
    })
  return sandbox.bank.customers.secretOf(customer, version)
}

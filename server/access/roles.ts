/** What belongs to one shop, and who works for one shop alone. */
import type { UserRole } from '../audit/people.ts'
import { AppError } from '../errors.ts'

/** What these roles do is always about one merchant. */
export const SHOP_ROLES: readonly UserRole[] = ['shop', 'cashier']

/** @throws AppError not_found for another merchant: its things answer as things that do not exist */
export function expectOwn({ merchantId }: { merchantId: string | null }, owner: string | undefined): void {
  if (owner === undefined || (merchantId !== null && merchantId !== owner)) throw new AppError('not_found')
}

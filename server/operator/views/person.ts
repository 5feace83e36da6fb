/** A person who operates the deployment or a shop, as commands print it. */
import type { OperatorRecord } from '../../audit/people.ts'
import type { UserRecord } from '../../storage/access/users.ts'

/** `user`: null for somebody who uses the command line alone. */
export function presentPerson({ operator, user }: { operator: OperatorRecord; user: UserRecord | null }) {
  const { id: userId, name, role, createdAt, removedAt } = operator
  const { email, merchantId, refundLimits, refundLimitsDay } = user ?? {}
  const ofUser = { email, merchantId, refundLimits, refundLimitsDay }
  return { userId, name, role, createdAt, removedAt, ...(user && ofUser) }
}

/** Whether the button of an installation leads past our own page, where that page has nothing to ask or to say. */
import type { Context } from '../context.ts'
import { type InstallationRecord, updateCheckoutSkip } from '../storage/merchants/installations.ts'
import { getInstallation } from './installation.ts'

/** Applies to the clicks that follow, within a second. `id`: the installation's id or its public key. @throws AppError not_found */
export async function setCheckoutSkip(ctx: Context, id: string, skips: boolean): Promise<InstallationRecord> {
  const installation = await getInstallation(ctx, id)
  await updateCheckoutSkip(ctx.db, installation.id, skips)
  return { ...installation, skipsCheckout: skips }
}

/** Installations of a shop: each has the public key of its button and links, for one site or one public page. */
import type { Context } from '../../context.ts'
import { type InstallationRecord, prepareInstallation } from '../../merchants/installation.ts'
import { isPage } from '../../merchants/origin.ts'
import { inTransaction } from '../../storage/db.ts'
import { insertInstallation, listInstallations } from '../../storage/merchants/installations.ts'
import { lockMerchant } from '../../storage/merchants/merchants.ts'
import { spellAddress } from './reviews.ts'

/**
 * Returns the installation of an address, and creates it if there is none. `address`: a site, or a public page that has only links and
 * posters. @throws AppError those of `createInstallation`
 */
export async function ensureInstallation(
  ctx: Context,
  merchantId: string,
  address: string,
): Promise<InstallationRecord> {
  const place = spellAddress(address)
  const target = isPage(place) ? { origins: [], page: place } : { origins: [place] }
  const record = await prepareInstallation(ctx, { merchantId, ...target })
  return inTransaction(ctx.db, async (tx) => {
    // The lock makes two presses of the same button create one installation, not two.
    await lockMerchant(tx, merchantId)
    const known = (await listInstallations(tx, merchantId)).find((each) => serves(each, place))
    if (!known) await insertInstallation(tx, record)
    return known ?? record
  })
}

/** Whether the public key works for this site or public page. */
export function serves({ origins, shopUrl, revokedAt }: InstallationRecord, place: string): boolean {
  if (revokedAt) return false
  return origins.length > 0 ? origins.includes(place) : shopUrl === place
}

/** `installation`: a pay button's public key, and the exact origins that may use it. */
import { payUrl } from '../../channels/settings.ts'
import type { Context } from '../../context.ts'
import { getInstallation, type InstallationRecord, installPageUrl } from '../../merchants/installation.ts'
import { presentInstallation } from '../../operator/merchant-overview.ts'
import { type Noun, verb } from '../command.ts'
import { moment, pairs } from '../layout.ts'
import { doctor, INSTALLATION } from './installation-doctor.ts'
import { settings } from './installation-settings.ts'

function lines(ctx: Context, record: InstallationRecord): string {
  const { publicKey } = record
  return pairs([
    ['Installation', record.id],
    ['Public key', publicKey],
    ['Install page', record.revokedAt ? null : installPageUrl(ctx, publicKey)],
    ['Pay link', record.revokedAt ? null : payUrl(ctx, publicKey, 'PRODUCT')],
    ['Origins', record.origins.length > 0 ? record.origins : 'none: only our own pay page'],
    ['Return URL', record.returnUrl ?? 'none: each page sets its own'],
    ['Shop URL', record.shopUrl ?? 'the start page of the site with the button'],
    [
      'Our page',
      record.skipsCheckout ? 'skipped after the button, where it has nothing to ask or to say' : 'shown',
    ],
    ['Route', record.provider ?? 'the default'],
    ['Merchant', record.merchantId],
    ['Created', moment(record.createdAt)],
    ['Revoked', record.revokedAt && moment(record.revokedAt)],
  ])
}

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show an installation with its public key and origins',
  flags: { installation: INSTALLATION },
  examples: ['--installation ins_01...'],
  async run(ctx, { installation: id }) {
    const record = await getInstallation(ctx, id)
    return { json: presentInstallation(record), text: lines(ctx, record) }
  },
})

export const installation: Noun = {
  name: 'installation',
  summary: 'Create, show and check the public keys of pay buttons',
  verbs: [show, doctor, settings],
}

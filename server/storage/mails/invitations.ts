/** The mails with a link to set up the sign-in. */
import { statement } from '../db.ts'
import type { InvitationMail } from './mail.ts'

/** Notes the digest of the link that the mail has now. */
export const setInvitedDigest = statement(
  'set_invited_digest',
  `update world.mails set notice = jsonb_set(notice, '{digest}', to_jsonb($3::text)) where merchant_id = $1 and id = $2`,
).run(({ merchantId, id }: Pick<InvitationMail, 'merchantId' | 'id'>, digest: string) => [
  merchantId,
  id,
  digest,
])

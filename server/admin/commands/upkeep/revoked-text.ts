/** What a restore reports about the revocations since its backup. */
import type { RevokedAccess } from '../../../backup/revoked.ts'
import { ADMIN } from '../../command.ts'
import { counted, paragraphs } from '../../layout.ts'

export function describeRevoked(revoked: RevokedAccess | null): string | null {
  if (!revoked) return null
  const { applied, waits, notes, setAgain } = revoked
  const ended = `Every session of the console, sign-in link and recovery code has ended, and so has every act that waited for a second person. The list of what was revoked has changed ${counted(applied, 'row')}.`
  const waiting = `There is no whole list of what was revoked since the backup, so it may have brought back what was revoked. People, and tokens that may move money, wait until you confirm them: ${ADMIN} restore confirm`
  const again = `Replaced since the backup, and removed, because the newer value is lost. Set again: ${setAgain.join('; ')}.`
  const lines = notes.length > 0 && notes.join('\n')
  return paragraphs(ended, setAgain.length > 0 && again, lines, waits && waiting)
}

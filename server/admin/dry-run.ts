/** The flag `--dry-run`: the command says what it would do, and nothing of it stays. */
import { toggle } from './flag.ts'

export const DRY_RUN = toggle('say what would happen, and change nothing')

export const NOTHING_CHANGED = 'Nothing was changed. Without --dry-run this would happen:'

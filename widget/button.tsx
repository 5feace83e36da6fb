import { Fragment, h, options } from 'preact'
import { isBusy, type Phase } from './checkout.ts'
import type { WidgetConfig } from './config.ts'
import { MESSAGES, splitLabel } from './messages.ts'

// Preact asks its options at every event too, where a page's name on Object.prototype must not answer.
Object.setPrototypeOf(options, null)

type Props = { config: WidgetConfig | undefined; phase: Phase; onClick: (event: Event) => void }

/** The button and its message. The page's own fallback link shows where the button cannot, or has failed. */
export function PayButton({ config, phase, onClick }: Props) {
  if (!config) return <slot />
  const busy = isBusy(phase) || undefined
  const words = MESSAGES[config.locale]
  const [before, after] =
    phase === 'idle'
      ? splitLabel(config.label ?? words.pay, config.price)
      : [busy ? words.opening : words.retry]

  // aria-disabled instead of disabled: the focus stays where the buyer put it. At rest neither is there.
  return (
    <>
      <div lang={config.locale} dir={config.locale === 'ar' ? 'rtl' : 'ltr'} data-phase={phase}>
        <button type="button" part="button" aria-disabled={busy} aria-busy={busy} onClick={onClick}>
          <span>
            {before}
            {after !== undefined && <bdi>{config.price}</bdi>}
            {after}
          </span>
        </button>
        <p role="status" part="message">
          {phase === 'error' ? words.failed : busy && before}
        </p>
      </div>
      {phase === 'error' && <slot />}
    </>
  )
}

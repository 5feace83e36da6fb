/** Which writes a provider does once under their key, and for how long it knows a repetition. */

/** `start`: the opening of an order. `charge`: of a saved method. The others are named as the driver's members. */
export type KeyedWrite = 'start' | 'finalize' | 'refund' | 'capture' | 'void' | 'charge' | 'finishSaving'

/**
 * For how long, in milliseconds, the provider does a repeated write once. Absent: it does not know a repetition, so the write is sent
 * once. If its response is lost, the order's amounts show the outcome, or a person decides.
 */
export type Keyed = Partial<Record<KeyedWrite, number>>

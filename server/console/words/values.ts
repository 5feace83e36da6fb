/** Written by `npm run generate -- messages` from the English words: what each sentence needs. */
export type ConsoleValues = {
  notAllowedText: { roles: string }
  whoMay: { roles: string }
  busyText: { seconds: number }
  requestNumber: { id: string }
  refundTitle: { number: string }
  amountNotWhole: { currency: string }
  amountUnclear: { first: string; second: string }
  amountIn: { currency: string }
  whyWrong: { chars: number }
  aboveLimit: { amount: string }
  aboveRest: { amount: string; typed: string }
  refundWill: { amount: string; number: string; rest: string }
  buyerTold: { email: string; language: string }
  refundDo: { amount: string }
  refundLead: { amount: string }
  aboveOwnLimit: { amount: string }
  captureTitle: { number: string }
  captureLead: { amount: string }
  captureWill: { amount: string; number: string }
  captureDo: { amount: string }
  voidTitle: { number: string }
  voidLead: { amount: string }
  voidWill: { amount: string; number: string }
  voidDo: { amount: string }
  confirmTitle: { number: string }
  confirmLead: { amount: string }
  confirmWill: { amount: string; number: string; reference: string }
  confirmDo: { amount: string }
  confirmOther: { amount: string; asked: string }
  returnedTitle: { number: string }
  returnedLead: { amount: string }
  returnedWill: { amount: string; number: string; reference: string }
  returnedSurplus: { amount: string }
  returnedDo: { amount: string }
  resolveTitle: { number: string }
  resolveLead: { amount: string }
  resolveWill: { amount: string; number: string; outcome: string }
  resolvePart: { amount: string; asked: string }
  resolveDo: { outcome: string }
  receiptTitle: { number: string }
  receiptWill: { number: string }
  cancelTitle: { number: string }
  cancelWill: { number: string }
  counterNumber: { number: string }
  linkWordWrong: { chars: number }
  caseWaits: { age: string }
  atStake: { amount: string }
  caseSureText: { case: string; choice: string }
  acceptPart: { amount: string; asked: string }
  approvalInsteadOf: { before: string }
  proposedBy: { name: string }
  approvalUntil: { at: string }
  approvalSentence: { name: string; what: string }
  eventsSent: { count: number }
  eventsNewest: { count: string }
  eventsSendDay: { count: string }
  eventsSendState: { count: string; state: string }
  eventTries: { count: number }
  accountsMore: { count: number }
  accountTitle: { driver: string; route: string }
  accountBlocks: { currencies: string }
  callsBackSeen: { at: string }
  accountAmounts: { currency: string }
  advice_part_was_taken: { asked: string; taken: string }
  check_responds: { status: string }
  signInBusyText: { seconds: number }
  clockFast: { minutes: number }
  clockSlow: { minutes: number }
  setUpTitle: { name: string }
  passwordHint: { chars: number }
  password_short: { chars: number }
  password_long: { chars: number }
  againTooMany: { seconds: number }
  ownPasskey: { number: string }
  ownMade: { at: string }
  ownUsed: { at: string }
  ownElsewhere: { host: string }
  ownRemoveLead: { number: string }
  ownCodesLeft: { count: string }
  todayBeside: { week: string; weekday: string; yesterday: string }
  trendTitle: { days: number }
  sumLeft: { sum: string }
  todayCut: { count: number }
  inZone: { zone: string }
  filterFrom: { day: string }
  filterUntil: { day: string }
  filterMin: { amount: string }
  filterMax: { amount: string }
  exportHint: { zone: string }
  without: { what: string }
  paymentTitle: { number: string }
  copy: { language: string }
  known_operator: { name: string }
  by_operator: { name: string }
  receiptNo: { number: string }
  warningSettled: { name: string; why: string }
  orderOfPayment: { number: string }
  told_created: { asked: string }
  told_pending_redirect: { asked: string }
  told_pending_payment: { asked: string }
  told_approved: { asked: string }
  told_under_way: { asked: string }
  told_authorized: { held: string; takenAt: string }
  told_paid: { taken: string; takenAt: string }
  told_partially_refunded: { returned: string; taken: string; takenAt: string }
  told_refunded: { changedAt: string; taken: string; takenAt: string }
  told_reversed: { asked: string; changedAt: string }
  told_reversed_taken: { changedAt: string; taken: string; takenAt: string }
  told_disputed: { disputed: string; taken: string; takenAt: string }
  told_failed: { asked: string; changedAt: string }
  told_cancelled: { asked: string; changedAt: string }
  told_expired: { asked: string }
  told_status_unknown: { asked: string }
  refused_proposedAlready: { approval: string; proposer: string }
  refused_partTaken: { amount: string; asked: string }
  refused_referenceAmount: { amount: string; reference: string }
  productNameIn: { language: string }
  productNow: { price: string }
  productChangeTitle: { name: string }
  productAskIn: { field: string; language: string }
  productDescriptionIn: { language: string }
  productFromTo: { from: string; to: string }
  done_priced: { price: string }
  done_added: { name: string }
  brandNameWaits: { name: string }
  shareCode: { name: string }
  liveOpen: { count: string }
  liveLimitAccept: { currency: string }
  price_day: { amount: string }
  price_week: { amount: string }
  price_month: { amount: string }
  price_quarter: { amount: string }
  price_year: { amount: string }
  subscriptionTerms: { next: string; price: string }
  next_incomplete: { amount: string; when: string }
  next_active: { amount: string; when: string }
  next_past_due: { when: string }
  subscriptionEnded: { when: string; why: string }
  chargeOfPeriod: { period: string }
  chargeAttempt: { attempt: string }
  chargesCut: { count: number }
  ordersEarlier: { at: string }
  ordersCut: { count: number }
  orderMoved: { number: string; way: string }
  printDayTitle: { day: string }
  wordsOfKind: { kind: string }
  storeLines: { count: number }
  askCurrencyOf: { named: string }
  askMeaning: { line: string; text: string }
  askDirectionOf: { column: string }
  askUnsigned: { line: string; marked: string; markedLine: string; text: string }
  lineNumber: { line: string }
  sumCame: { count: string }
  sumWent: { count: string }
  linesListed: { count: string; lines: string }
  asWritten: { amount: string; day: string; line: string }
  remarkCurrency: { said: string }
  remarkDirection: { column: string; word: string }
  bothFiles: { before: string; now: string }
  statementsOf: { account: string }
  statementDiffers: { count: string }
  bothSides: { here: string; there: string }
  refused_statementLine: { line: string }
  systemBad: { count: string }
  clockOff: { seconds: number }
  backupAge: { age: string }
  diskFree: { free: string }
  questionsLate: { age: string }
  eventsOldest: { age: string; count: string }
  isSilent: { count: number }
  receiverPaused: { count: number }
  receiverRests: { count: number }
  restoreWaits: { count: string }
  mailsFailed: { count: string }
  passkeysElsewhere: { hosts: string; origin: string }
  passkeysShutOut: { names: string }
  unknownSignIns: { networks: string; tries: string }
  tokensUnlimited: { count: string }
  limitsNone: { limits: string }
  usersWaiting: { names: string; waiting: string; working: string }
  userLimitSuggested: { limits: string }
  userResetLead: { name: string }
  userRemoveLead: { name: string }
  userRemoveDo: { name: string }
  userLinkTitle: { name: string }
  userLinkLead: { name: string }
  userLinkMailed: { email: string }
  userHalfLead: { name: string }
  refused_refundLimit: { amount: string }
  audit_added: { thing: string }
  audit_changed: { thing: string }
  audit_removed: { thing: string }
  auditSound: { rows: number }
  auditFaulty: { count: number }
  setLong: { chars: number }
  setDone: { what: string }
  listMore: { count: number }
  refused_labelsAlike: { label: string }
  refused_originNotListed: { origin: string }
  refused_originIsReturn: { origin: string }
  refused_originLast: { origin: string }
  refused_routesLine: { text: string }
  refused_routesStray: { route: string }
  refused_routesTwice: { route: string }
  refused_otherContract: { account: string }
  refused_accountSettings: { settings: string }
  refused_accountCurrencies: { currencies: string }
  refused_accountLeft: { account: string; currencies: string }
  refused_accountTaken: { account: string }
  refused_accountOfService: { route: string }
  refused_accountOfShop: { account: string }
  refused_accountForAll: { account: string }
  bankNow: { currency: string }
  bankWaits: { until: string }
  bankEnded_refused: { at: string }
  bankEnded_expired: { at: string }
  bankEnded_changed_meanwhile: { at: string }
  bankEnded_impossible: { at: string }
}

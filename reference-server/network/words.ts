/** What simulated replies are made of: common words, so that every common letter occurs. */
export const words: readonly string[] = `
  about above across after again almost along already always among and another answer any around ask because become
  before begin below best better between big both bring bright build busy call carry change clear close cold come
  copper count day deep different draw dream each early earth easy enough even every example far fast few field find
  first follow forest found fresh garden gentle give glass good great green grow half hand harbor head hear help high
  hold house idea island jump just keep kind know lamp large last late learn leave light line little long look make
  many market measure might more morning mountain move much music near never next night north notice often old only
  open orange order other over paper part people place plain quick quiet rain reach ready river road round same second
  seem several shape short simple slow small some sound south stone story strong summer table thing think through
  together travel under until very voice walk warm water while white wind window winter wonder word work world year
`
  .split(/\s+/)
  .filter(Boolean)

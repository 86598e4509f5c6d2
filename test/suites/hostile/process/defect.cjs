// Loaded into the program before it starts: a defect, two seconds later, whose text has a secret.
const error = () => new Error(`key 0x${process.env.KAIRN_TEST_SECRET} of "${process.env.KAIRN_TEST_SECRET}"`);
setTimeout(() => {
  if (process.env.KAIRN_TEST_DEFECT === "throw") throw error();
  Promise.reject(error());
}, 2000);

"""Beliefs that replies reveal: action likelihoods, entropies, effects of forms, agreement.

Arrays in, numbers out. Throughout, n is the number of scenarios and F that of question forms; p is
the likelihood of action 1; entropies are in bits; NaN means never asked or not to be had.
"""

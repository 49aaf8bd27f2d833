# %% right: textbook
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    variance, entropy = [], []
    for i in range(n):
        seen = weights[i, : i + 1]
        variance.append(seen.var(unbiased=False).item())
        entropy.append(-sum(w * math.log(w) for w in seen.tolist() if w > 0))
    return {
        "n_tokens": n,
        "max_attention": weights.max().item(),
        "max_query": tokens[query],
        "max_key": tokens[key],
        "variance": variance,
        "entropy": entropy,
    }

# %% right: without loops
def audit_record(tokens, weights):
    n = weights.shape[-1]
    count = torch.arange(1, n + 1)
    mean = weights.sum(-1) / count
    variance = (weights - mean[:, None]).square().tril().sum(-1) / count
    entropy = torch.special.entr(weights).sum(-1)
    place = torch.unravel_index(weights.argmax(), weights.shape)
    return dict(
        n_tokens=n, max_attention=float(weights.max()), max_query=tokens[int(place[0])],
        max_key=tokens[int(place[1])], variance=variance.tolist(), entropy=entropy.tolist(),
    )

# %% right: mean of squares less square of mean, xlogy
def audit_record(tokens, weights):
    weights = weights.double()
    seen = torch.arange(len(tokens)) + 1
    variance = (weights**2).sum(1) / seen - (weights.sum(1) / seen) ** 2
    entropy = -torch.xlogy(weights, weights).sum(1)
    i, j = (weights == weights.max()).nonzero()[0].tolist()
    return {"n_tokens": len(tokens), "max_attention": weights[i, j].item(), "max_query": tokens[i],
            "max_key": tokens[j], "variance": variance.tolist(), "entropy": entropy.tolist()}

# %% right: plain Python, with a note of its own
def audit_record(tokens, weights):
    rows = [row[: i + 1] for i, row in enumerate(weights.tolist())]
    largest = max((w, i, j) for i, row in enumerate(rows) for j, w in enumerate(row))
    record = {"n_tokens": len(rows), "max_attention": largest[0], "max_query": tokens[largest[1]],
              "max_key": tokens[largest[2]], "variance": [], "entropy": [], "version": "1.0"}
    for row in rows:
        mean = sum(row) / len(row)
        record["variance"].append(sum((w - mean) ** 2 for w in row) / len(row))
        record["entropy"].append(sum(-w * math.log(w) for w in row if w))
    return record

# %% right: numpy, made plain
def audit_record(tokens, weights):
    import numpy as np
    a = weights.numpy()
    i, j = np.unravel_index(a.argmax(), a.shape)
    logs = np.log(np.where(a > 0, a, 1))
    return {"n_tokens": int(a.shape[0]), "max_attention": float(a[i, j]), "max_query": str(tokens[i]),
            "max_key": str(tokens[j]), "variance": [float(a[k, : k + 1].var()) for k in range(len(a))],
            "entropy": [float(x) for x in -(a * logs).sum(1)]}

# %% right: a small number inside the log, rounded to six places
def audit_record(tokens, weights):
    n = len(tokens)
    position = int(torch.argmax(weights))
    return {
        "n_tokens": n,
        "max_attention": round(weights.max().item(), 6),
        "max_query": tokens[position // n],
        "max_key": tokens[position % n],
        "variance": [round(torch.var(weights[i, : i + 1], correction=0).item(), 6) for i in range(n)],
        "entropy": [round(-(weights[i] * (weights[i] + 1e-12).log()).sum().item(), 6) for i in range(n)],
    }

# %% wrong: largest query and key swapped | largest_swapped
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[key], "max_key": tokens[query],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: positions instead of texts | places_for_texts
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": query, "max_key": key,
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: the largest of the last query | largest_of_last_query
def audit_record(tokens, weights):
    n = len(tokens)
    return {"n_tokens": n, "max_attention": weights[-1].max().item(), "max_query": tokens[-1],
            "max_key": tokens[weights[-1].argmax().item()],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: the first query left out of the search | first_query_not_searched
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights[1:].argmax().item() if n > 1 else 0, n)
    query = min(query + 1, n - 1)
    return {"n_tokens": n, "max_attention": weights[query, key].item(), "max_query": tokens[query],
            "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: the diagonal left out of the search | diagonal_not_searched
def audit_record(tokens, weights):
    n = len(tokens)
    below = weights.tril(-1)
    query, key = divmod(below.argmax().item(), n)
    return {"n_tokens": n, "max_attention": below.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: the largest of rows made to sum to 1 | largest_of_renormalised
def audit_record(tokens, weights):
    n = len(tokens)
    shares = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
    query, key = divmod(shares.argmax().item(), n)
    return {"n_tokens": n, "max_attention": shares.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: the most attended token, summed over the queries | largest_of_busiest_key
def audit_record(tokens, weights):
    n = len(tokens)
    key = weights.sum(0).argmax().item()
    return {"n_tokens": n, "max_attention": weights[:, key].max().item(), "max_query": tokens[weights[:, key].argmax()],
            "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: variance with n - 1 | sample_variance
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var().item() if i else 0.0 for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: variance over the whole row | variance_of_whole_row
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": weights.var(dim=-1, correction=0).tolist(),
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: variance over the queries | variance_of_columns
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[j:, j].var(correction=0).item() for j in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: variance over the weights above zero | variance_of_weights_above_zero
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [row[row > 0].var(correction=0).item() if (row > 0).any() else 0.0 for row in weights],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: standard deviation | deviation_for_variance
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].std(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: variance of rows made to sum to 1 | variance_of_renormalised
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    shares = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [shares[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: variance as mean of squares | mean_not_taken_off
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].square().mean().item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: one variance for the map | one_number_for_the_map
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": weights.var(correction=0).item(),
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: entropy in bits | record_entropy_in_bits
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": (torch.special.entr(weights).sum(-1) / math.log(2)).tolist()}

# %% wrong: entropy over its largest possible | record_entropy_over_largest
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    most = torch.arange(1, n + 1).log().clamp(min=1e-9)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": (torch.special.entr(weights).sum(-1) / most).tolist()}

# %% wrong: the log of zero | record_log_of_zero
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    entropy = [-(weights[i, : i + 1] * weights[i, : i + 1].log()).sum().item() for i in range(n)]
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)], "entropy": entropy}

# %% wrong: the log of zero above the diagonal | record_log_of_zero
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": (-(weights * weights.log()).sum(-1)).tolist()}

# %% wrong: nan made zero | record_log_of_zero
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    entropy = torch.nan_to_num(-(weights * weights.log()).tril().sum(-1))
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": entropy.tolist()}

# %% wrong: a large number inside the log | record_large_number_in_log
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": (-(weights * (weights + 1e-2).log()).sum(-1)).tolist()}

# %% wrong: entropy of rows made to sum to 1 | record_entropy_of_renormalised
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    shares = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(shares).sum(-1).tolist()}

# %% wrong: torch's categorical distribution | record_entropy_of_renormalised
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.distributions.Categorical(probs=weights).entropy().tolist()}

# %% wrong: the sign of entropy | record_entropy_sign
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": (-torch.special.entr(weights).sum(-1)).tolist()}

# %% wrong: one entropy for the map | one_number_for_the_map
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).mean().item()}

# %% wrong: entropy of the columns | record_entropy_of_columns
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(0).tolist()}

# %% wrong: tensors inside | tensors_in_record
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0) for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1)}

# %% wrong: one tensor inside | tensors_in_record
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: numpy numbers inside | numpy_in_record
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    a = weights.numpy()
    return {"n_tokens": n, "max_attention": a.max(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [a[i, : i + 1].var() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: numbers as texts | numbers_as_texts
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": str(n), "max_attention": f"{weights.max().item():.6f}", "max_query": tokens[query],
            "max_key": tokens[key],
            "variance": [f"{weights[i, : i + 1].var(correction=0).item():.6f}" for i in range(n)],
            "entropy": [f"{e:.6f}" for e in torch.special.entr(weights).sum(-1).tolist()]}

# %% wrong: lists as text | numbers_as_texts
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": str([weights[i, : i + 1].var(correction=0).item() for i in range(n)]),
            "entropy": str(torch.special.entr(weights).sum(-1).tolist())}

# %% wrong: the JSON text instead of the dict | written_already
def audit_record(tokens, weights):
    import json
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return json.dumps({
        "n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
        "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
        "entropy": torch.special.entr(weights).sum(-1).tolist()})

# %% wrong: a tuple of values | values_without_keys
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return (n, weights.max().item(), tokens[query], tokens[key],
            [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            torch.special.entr(weights).sum(-1).tolist())

# %% wrong: a key misspelt | key_missing
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: no entropy | key_missing
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)]}

# %% wrong: tokens counted once each | repeated_tokens_counted_once
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": len(set(tokens)), "max_attention": weights.max().item(), "max_query": tokens[query],
            "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: the number of weights for the number of tokens | weights_counted_for_tokens
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": weights.numel(), "max_attention": weights.max().item(), "max_query": tokens[query],
            "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: letters only, other signs dropped | letters_dropped
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    plain = [token.encode("ascii", "ignore").decode() for token in tokens]
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": plain[query], "max_key": plain[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: rounded to two places | record_rounded
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": round(weights.max().item(), 2), "max_query": tokens[query],
            "max_key": tokens[key],
            "variance": [round(weights[i, : i + 1].var(correction=0).item(), 2) for i in range(n)],
            "entropy": [round(e, 2) for e in torch.special.entr(weights).sum(-1).tolist()]}

# %% wrong: the last query only | record_of_last_query
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[-1].var(correction=0).item()],
            "entropy": [torch.special.entr(weights[-1]).sum().item()]}

# %% wrong: softmax once more before measuring | record_of_softmax_again
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    hidden = torch.ones(n, n).triu(1).bool()
    again = weights.masked_fill(hidden, -torch.inf).softmax(-1)
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [again[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(again).sum(-1).tolist()}

# %% wrong: changes its input | input_changed
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    largest = weights.max().item()
    variance = [weights[i, : i + 1].var(correction=0).item() for i in range(n)]
    weights[weights == 0] = 1
    return {"n_tokens": n, "max_attention": largest, "max_query": tokens[query], "max_key": tokens[key],
            "variance": variance, "entropy": (-(weights * weights.log()).sum(-1)).tolist()}

# %% wrong: changes the tokens | input_changed
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    tokens.append("<end>")
    return {"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key],
            "variance": [weights[i, : i + 1].var(correction=0).item() for i in range(n)],
            "entropy": torch.special.entr(weights).sum(-1).tolist()}

# %% wrong: prints and returns nothing | returned_nothing
def audit_record(tokens, weights):
    n = len(tokens)
    query, key = divmod(weights.argmax().item(), n)
    print({"n_tokens": n, "max_attention": weights.max().item(), "max_query": tokens[query], "max_key": tokens[key]})

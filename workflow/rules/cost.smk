# What is still to be asked and what it may cost: a target of its own that asks nobody.


rule estimate_cost:
    input:
        scenarios=scenario_files() if MORAL_MODELS else [],
    output:
        "results/tables/cost.csv",
    log:
        "results/logs/estimate_cost.log",
    localrule: True
    conda:
        "../envs/rationale.yaml"
    params:
        # The journal is no input of any rule: a new look at it each time.
        now=started(),
        parts=Untracked(asked_parts()),
        models=Untracked(MODELS),
        attempts=int(CONFIG["asking"]["attempts"]),
        seed=int(CONFIG["seed"]),
        psm=Untracked(
            {
                "survey": resource(CONFIG["psm"]["survey"]),
                "files": FORM_FILES,
                "forms": FORMS,
                "options": CONFIG["psm"]["options"],
            }
        ),
        moralchoice=Untracked(
            {
                "templates": MORAL.templates,
                "forms": {name: list(form) for name, form in MORAL.forms.items()},
                "samples": CONFIG["moralchoice"]["samples"],
                "leave_out": CONFIG["moralchoice"]["leave_out"],
            }
        ),
        steer=Untracked(
            {
                **STEER_RESOURCES,
                "stories": STEER.stories,
                "grades": STEER.grades,
                "domains": list(STEER.domains),
                "per_cell": int(CONFIG["steer"]["per_cell"]),
                "forms": {
                    form: resource(steer_form_path(form)) for form in STEER.forms
                },
                "most_shots": MOST_SHOTS,
                "published": list(STEER.published.values()),
            }
        ),
        schemas=Untracked(str(SCHEMAS)),
    message:
        "Estimating what is left to be paid for; nobody is asked"
    script:
        "../scripts/estimate_cost.py"
